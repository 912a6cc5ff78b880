/** The landing page's static sections, as one chunk. */
import { useState } from "react";
import { readSiteDomain } from "../../app/site-domain.ts";
import { Attack } from "./Attack.tsx";
import { Encryption } from "./Encryption.tsx";
import { HowItWorks } from "./HowItWorks.tsx";
import { Why } from "./Why.tsx";

export { FeatureRow } from "./FeatureRow.tsx";
export { Pillars } from "./Pillars.tsx";

/** The sections between the strip of providers and the closing call. */
export function Story() {
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
