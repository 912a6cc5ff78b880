/** Which part of a long page is being read: the last whose heading has passed the upper edge, the last of all at the end. */
import { useEffect, useState } from "react";

/** Pixels below the window's upper edge where a heading counts as reached; more than it keeps away from there by its margin. */
const READING_LINE = 112;

/** @returns the id of that part; the first until the page is in the browser */
export function useCurrentPart(parts: readonly { id: string }[]): string | undefined {
  const [current, setCurrent] = useState(parts[0]?.id);
  const ids = parts.map(({ id }) => id).join(" ");
  useEffect(() => {
    const names = ids.split(" ");
    followAddress(names);
    let frame = 0;
    const look = () => {
      frame = 0;
      setCurrent(partAtLine(names));
    };
    const onScroll = () => {
      if (frame === 0) frame = requestAnimationFrame(look);
    };
    look();
    window.addEventListener("scroll", onScroll, { passive: true });
    window.addEventListener("resize", onScroll);
    return () => {
      cancelAnimationFrame(frame);
      window.removeEventListener("scroll", onScroll);
      window.removeEventListener("resize", onScroll);
    };
  }, [ids]);
  return current;
}

/** An address with an anchor was opened before the page's text was there. */
function followAddress(ids: readonly string[]): void {
  const wanted = window.location.hash.slice(1);
  if (!ids.includes(wanted)) return;
  const heading = document.getElementById(wanted);
  heading?.scrollIntoView({ behavior: "instant" });
  heading?.focus({ preventScroll: true });
}

function partAtLine(ids: readonly string[]): string | undefined {
  const { scrollY, innerHeight } = window;
  const isAtEnd = scrollY > 0 && scrollY + innerHeight >= document.documentElement.scrollHeight - 2;
  if (isAtEnd) return ids.at(-1);
  const passed = ids.filter((id) => (document.getElementById(id)?.getBoundingClientRect().top ?? 0) <= READING_LINE);
  return passed.at(-1) ?? ids[0];
}
