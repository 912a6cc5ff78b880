import { useState } from "react";
import { readSiteDomain } from "../app/site-domain.ts";
import { Attack } from "../features/landing/Attack.tsx";
import { ClosingCall } from "../features/landing/ClosingCall.tsx";
import { CompatibleStrip } from "../features/landing/CompatibleStrip.tsx";
import { Encryption } from "../features/landing/Encryption.tsx";
import { Hero } from "../features/landing/Hero.tsx";
import { HowItWorks } from "../features/landing/HowItWorks.tsx";
import { useMotion } from "../features/landing/motion.ts";
import { Pillars } from "../features/landing/Pillars.tsx";
import { Why } from "../features/landing/Why.tsx";

export function LandingPage() {
  const [site] = useState(readSiteDomain);
  const motion = useMotion();
  return (
    <main id="main" tabIndex={-1}>
      <Hero site={site} isPaused={motion.isPaused} />
      <Pillars />
      <CompatibleStrip motion={motion} />
      <Attack domain={site.domain} />
      <Encryption />
      <HowItWorks domain={site.domain} />
      <Why />
      <ClosingCall />
    </main>
  );
}
