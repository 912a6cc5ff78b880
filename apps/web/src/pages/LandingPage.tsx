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
 * Sections below the window are laid out late (`later` in landing-sections.css), so that the hero appears sooner: one
 * at a time when idle, so that printing includes them and scrolling never waits.
 */

/** Milliseconds until sections are laid out even if the browser is never idle. */
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

/** Ends late layout for good: a return to the page lays sections out at once. */
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
