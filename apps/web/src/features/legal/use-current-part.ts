/**
 * The section of a long page that is being read: the last whose heading has passed the window's upper edge; at the
 * page's end its last section.
 */
import { useEffect, useState } from "react";

/**
 * Pixels below the window's upper edge at which a heading counts as reached; larger than the headings' scroll margin.
 */
const READING_LINE = 112;

/** @returns id of the section that is being read; the first one until the effect has run */
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

/** Scrolls to the section that the address names: the browser could not, before the page's text was rendered. */
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
