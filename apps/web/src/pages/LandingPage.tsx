import { useState } from "react";
import { readSiteDomain } from "../app/site-domain.ts";
import { ClosingCall } from "../features/landing/ClosingCall.tsx";
import { CompatibleStrip } from "../features/landing/CompatibleStrip.tsx";
import { Hero } from "../features/landing/Hero.tsx";
import { useMotion } from "../features/landing/motion/motion.ts";
import { StaticSection } from "../features/landing/StaticSection.tsx";
import { useLaterSections } from "../features/landing/use-later-sections.ts";

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
