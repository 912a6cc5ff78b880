/** The landing page's hero. The sections below it come with a later version. */
import type { CSSProperties } from "react";
import { Link } from "wouter";
import { useDomains } from "../api/domains.ts";
import { useSession } from "../api/session.ts";

const DEFAULT_DOMAIN = "kauke.test";

function WhatTheShopSees({ domain }: { domain: string }) {
  return (
    <div className="card sees">
      <h2>What the shop sees</h2>
      <dl>
        <dt>To</dt>
        <dd>
          <span className="hl">not.you@{domain}</span>
        </dd>
        <dt>Behind it</dt>
        <dd>
          <span className="bar w-[5ch]" /> <span className="bar w-[10ch]" />
          <span className="sr">hidden</span>
        </dd>
      </dl>
      <h2 className="pt-4">What you get</h2>
      <dl>
        <dt>Inbox</dt>
        <dd>jonas@example.org</dd>
        <dt>From</dt>
        <dd>orders@store.example</dd>
        <dt>Subject</dt>
        <dd>Your parcel is on its way</dd>
      </dl>
    </div>
  );
}

/** The address fills the page's width: on one line together, on phones the domain alone on the second. */
function widths(domain: string): CSSProperties {
  return { "--wide": "not.you@".length + domain.length, "--narrow": domain.length + 1.6 } as CSSProperties;
}

export function LandingPage() {
  const { user } = useSession();
  const { data: domains } = useDomains();
  const domain = domains?.[0] ?? DEFAULT_DOMAIN;
  return (
    <main id="main" tabIndex={-1}>
      <section className="hero page">
        <p className="hero-addr" aria-hidden="true" style={widths(domain)}>
          <span className="local">not.you</span>
          <span className="dom">@{domain}</span>
        </p>
        <div className="hero-grid">
          <div>
            <h1>
              One click, new identity. <span>Your inbox stays safe.</span>
            </h1>
            <div className="cta">
              {user === null ? (
                <Link className="btn btn-primary btn-lg" href="/auth">
                  Sign up with email
                </Link>
              ) : (
                <Link className="btn btn-primary btn-lg" href="/dashboard">
                  Go to Dashboard
                </Link>
              )}
            </div>
          </div>
          <WhatTheShopSees domain={domain} />
        </div>
      </section>
    </main>
  );
}
