/** Sections of the landing page that are loaded together, as one JavaScript chunk. */
import { Infinity as Endless, KeyRound, Lock, Reply } from "lucide-react";
import { useState } from "react";
import { readProvider, readSiteDomain } from "../../app/page-settings.ts";
import { rich, t } from "../../texts/texts.ts";
import { Attack } from "./Attack.tsx";
import { EncryptionStory } from "./EncryptionStory.tsx";
import { HowItWorks } from "./HowItWorks.tsx";

const facts = [
  [t("Price"), t("Free")],
  [t("Aliases"), t("Unlimited")],
  [t("E-mail logs"), t("Zero")],
  [t("Setup"), t("30 seconds")],
  [t("Encryption"), t("AGE, open source")],
  [t("Built in"), t("Lithuania")],
  [t("Launched"), t("January 2025")],
] as const;

function Why() {
  return (
    <section className="rule why-sec later">
      <div className="page sec why">
        <div>
          <h2 className="h2">{t("Why {product}?")}</h2>
          <p className="entry">
            {rich(
              "<b>kaukė</b> <em>noun, Lithuanian</em>{br}A mask. Worn so that others meet the role and not the person.",
              { br: <br />, b: (inner) => <b lang="lt">{inner}</b>, em: (inner) => <em>{inner}</em> },
            )}
          </p>
        </div>
        <table className="sheet">
          <tbody>
            {facts.map(([name, value]) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td>{value}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

export function Pillars() {
  return (
    <section className="page sec pillars-sec later">
      <div className="pillars">
        <article>
          <div className="art" aria-hidden="true">
            <span className="bar w-[5.4ch]" />
            @example.org
          </div>
          <h2>{t("Privacy First")}</h2>
          <p>{t("Websites get an alias. Your real address stays with you.")}</p>
        </article>
        <article>
          <div className="art" aria-hidden="true">
            $0.00
          </div>
          <h2>{t("Completely Free")}</h2>
          <p>{t("Free and unlimited. Make one alias or a thousand.")}</p>
        </article>
        <article>
          <div className="art" aria-hidden="true">
            mail.log: 0 B
            <span className="cursor" />
          </div>
          <h2>{t("Zero Logs Policy")}</h2>
          <p>{t("We keep zero e-mail logs. No address, no subject and no message is written to any log.")}</p>
        </article>
      </div>
    </section>
  );
}

/** As in `forwardingTexts`, which the landing page does not load. */
export const replyWords = { engine: t("Reply anonymously"), provider: t("Send as your alias") } as const;

const featuresOf = (reply: string) => [
  { icon: Endless, words: t("Unlimited aliases") },
  { icon: Lock, words: t("End-to-end encryption") },
  { icon: Reply, words: reply },
  { icon: KeyRound, words: t("Offline AGE keys") },
];

export function FeatureRow() {
  const [provider] = useState(readProvider);
  return (
    <ul className="feats">
      {featuresOf(provider === null ? replyWords.engine : replyWords.provider).map(({ icon: Icon, words }) => (
        <li key={words}>
          <Icon className="i i-20" aria-hidden />
          {words}
        </li>
      ))}
    </ul>
  );
}

export function Story() {
  const [{ domain }] = useState(readSiteDomain);
  return (
    <>
      <Attack domain={domain} />
      <EncryptionStory />
      <HowItWorks domain={domain} />
      <Why />
    </>
  );
}
