/** The sections of the landing page that only stand there. */
import { useState } from "react";
import { readSiteDomain } from "../../app/site-domain.ts";
import { Attack } from "./Attack.tsx";
import { Encryption } from "./Encryption.tsx";
import { HowItWorks } from "./HowItWorks.tsx";
import { Why } from "./Why.tsx";

export function StillSections() {
  const [{ domain }] = useState(readSiteDomain);
  return (
    <>
      <Attack domain={domain} />
      <Encryption />
      <HowItWorks domain={domain} />
      <Why />
    </>
  );
}
