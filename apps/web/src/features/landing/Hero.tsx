import type { MouseEvent } from "react";
import { useLocation } from "wouter";
import { useSession } from "../../api/session/session.ts";
import type { SiteDomain } from "../../app/page-settings.ts";
import { rich, t } from "../../texts/texts.ts";
import { GoogleButton } from "../auth/GoogleButton.tsx";
import { type ShownDomain, useRotation } from "./motion/use-rotation.ts";
import { StartButton } from "./StartButton.tsx";
import { StaticSection } from "./StaticSection.tsx";
import { Total, totalFigure, useDomainList, useTotals } from "./Total.tsx";

/** The federated button does nothing during the session check; it opens the dashboard for signed-in users. */
function FederatedButton() {
  const { user, isLoading } = useSession();
  const [, navigate] = useLocation();
  const handleClick = (event: MouseEvent) => {
    if (!isLoading && user === null) return;
    event.preventDefault();
    if (user !== null) navigate("/dashboard");
  };
  return <GoogleButton className="btn btn-lg" onClick={handleClick} />;
}

/** Width in characters of the longest domain, so that no layout shifts. One CSS rule per number: no inline styles. */
type HeroWidth = string;

/** Longest domain that fits the hero, in characters; longer ones are cut off. */
export const WIDEST = 40;

/** @param atFirst value from the HTML document, until the list of domains has loaded */
export function heroWidth(domains: readonly string[] | null, atFirst: string): HeroWidth {
  if (domains === null) return atFirst;
  return String(Math.min(WIDEST, Math.max(...domains.map((domain) => domain.length))));
}

function Address({ shown, width }: { shown: ShownDomain; width: HeroWidth }) {
  return (
    <p className="hero-addr" aria-hidden="true" data-longest={width}>
      <span className="local">not.you</span>
      <span className="dom">
        @<FadingDomain {...shown} />
      </span>
    </p>
  );
}

function FadingDomain({ domain, isFading }: ShownDomain) {
  return <span className={isFading ? "turning faded" : "turning"}>{domain}</span>;
}

function WhatTheShopSees({ shown }: { shown: ShownDomain }) {
  return (
    <div className="card sees">
      <h2>{t("What the shop sees")}</h2>
      <dl>
        <dt>{t("To")}</dt>
        <dd>
          <span className="hl">
            not.you@
            <FadingDomain {...shown} />
          </span>
        </dd>
        <dt>{t("Behind it")}</dt>
        <dd>
          <span className="bar w-[5ch]" /> <span className="bar w-[10ch]" />
          <span className="sr">{t("hidden")}</span>
        </dd>
      </dl>
      <h2 className="pt-4">{t("What you get")}</h2>
      <dl>
        <dt>{t("Inbox")}</dt>
        <dd>jonas@example.org</dd>
        <dt>{t("From")}</dt>
        <dd>orders@store.example</dd>
        <dt>{t("Subject")}</dt>
        <dd>{t("Your parcel is on its way")}</dd>
      </dl>
    </div>
  );
}

function SocialProof() {
  const totals = useTotals();
  return (
    <p className="proof">
      {rich("{users} users, {aliases} aliases", {
        users: <Total {...totalFigure(totals, "users")} />,
        aliases: <Total {...totalFigure(totals, "aliases")} />,
      })}
    </p>
  );
}

export function Hero({ site, isPaused }: { site: SiteDomain; isPaused: boolean }) {
  const list = useDomainList();
  const domains = list.state === "known" && list.value.length > 0 ? list.value : null;
  const shown = useRotation(domains ?? [site.domain], isPaused);
  return (
    <section className="hero page">
      <Address shown={shown} width={heroWidth(domains, site.longest)} />
      <div className="hero-grid">
        <div>
          <h1>
            {rich("One click, new identity. <span>Your inbox stays safe.</span>", {
              span: (inner) => <span>{inner}</span>,
            })}
          </h1>
          <div className="cta">
            <StartButton className="btn-primary" words={t("Sign up with email")} />
            <FederatedButton />
          </div>
          <SocialProof />
        </div>
        <WhatTheShopSees shown={shown} />
      </div>
      <StaticSection part="features" />
    </section>
  );
}
