/**
 * A landing page that came drawn leaves out the layout of the sections far below the window (`later` in landing-sections.css), so
 * that the hero is there sooner. Once the page has come to life and has nothing to do, they are laid out, one at a time: who
 * prints, saves or photographs the page finds it whole, and scrolling never waits.
 */
import { useEffect } from "react";

/** Milliseconds after which a section is laid out though the page is busy. */
const LATEST = 1000;

export function useLaterSections(): void {
  useEffect(() => {
    const sections = [...document.querySelectorAll(".later")];
    let waiting = 0;
    const next = () => {
      const section = sections.shift();
      if (section === undefined) return ended();
      section.classList.remove("later");
      waiting = whenIdle(next);
    };
    waiting = whenIdle(next);
    return () => {
      cancel(waiting);
      ended();
    };
  }, []);
}

/** Sections that come later, when somebody returns from another page, are laid out as they come. */
function ended(): void {
  document.getElementById("root")?.removeAttribute("data-drawn");
}

const hasIdle = () => "requestIdleCallback" in window;

function whenIdle(run: () => void): number {
  return hasIdle() ? window.requestIdleCallback(run, { timeout: LATEST }) : window.setTimeout(run, LATEST / 10);
}

function cancel(waiting: number): void {
  if (hasIdle()) window.cancelIdleCallback(waiting);
  else window.clearTimeout(waiting);
}
