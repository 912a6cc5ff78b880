import { useEffect, useState } from "react";
import { readSiteDomain } from "../app/page-settings.ts";
import { ClosingCall } from "../features/landing/ClosingCall.tsx";
import { CompatibleStrip } from "../features/landing/CompatibleStrip.tsx";
import { Hero } from "../features/landing/Hero.tsx";
import { useMotion } from "../features/landing/motion/motion.ts";
import { StaticSection } from "../features/landing/StaticSection.tsx";

export function LandingPage() {
  const [site] = useState(readSiteDomain);
  const motion = useMotion();
  useLaterSections();
  return (
    <main id="main" tabIndex={-1}>
      <Hero site={site} isPaused={motion.isPaused} />
      <StaticSection part="pillars" />
      <CompatibleStrip motion={motion} />
      <StaticSection part="story" />
      <ClosingCall />
    </main>
  );
}

/**
 * A prerendered landing page skips the layout of sections far below the window (`later` in landing-sections.css), so
 * that the hero appears sooner. After hydration they are laid out one at a time while the browser is idle: printing,
 * saving and screenshots include them, and scrolling never waits.
 */

/** Milliseconds after which a section is laid out even if the browser is not idle. */
const LATEST_MS = 1000;

function useLaterSections(): void {
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

/** Ends the deferral for good: sections rendered after returning from another page are laid out at once. */
function ended(): void {
  document.getElementById("root")?.removeAttribute("data-drawn");
}

const hasIdle = () => "requestIdleCallback" in window;

function whenIdle(run: () => void): number {
  return hasIdle() ? window.requestIdleCallback(run, { timeout: LATEST_MS }) : window.setTimeout(run, LATEST_MS / 10);
}

function cancel(waiting: number): void {
  if (hasIdle()) window.cancelIdleCallback(waiting);
  else window.clearTimeout(waiting);
}
