import { legalFacts, product } from "@kauke/contract";
import { FactTable, LegalPage, type LegalPart, PageLink } from "../features/legal/LegalPage.tsx";
import { said } from "../texts/said.ts";
import { rich, t } from "../texts/texts.ts";

export function AboutPage() {
  const { name } = product;
  return (
    <LegalPage
      title={t("About")}
      lead={t("{name} puts a mask in front of your inbox.", { name })}
      parts={[
        {
          id: "watched",
          title: t("Surveillance begins with an address"),
          body: (
            <>
              <p>
                {t(
                  "Almost everything on the web asks for an e-mail address, and most people have one that stays the same for decades. That makes it the best name tag there is. Shops hand it to advertisers, advertisers compare their lists, and data brokers lay the pieces side by side until purchases, trips, illnesses and opinions hang together on one string of letters.",
                )}
              </p>
              <p>
                {t(
                  "Mail itself looks back at you. Hidden pictures report when and where a message was opened, and links carry a number that is yours alone. When one of the many keepers of your address is broken into, thieves get the same string, and with it the user name for everything else.",
                )}
              </p>
              <p>
                {t(
                  "This is surveillance, and it needs neither a warrant nor a suspicion. Companies run it as a business, and states that collect data in bulk find it already collected.",
                )}
              </p>
            </>
          ),
        },
        {
          id: "why",
          title: t("Why {name} exists", { name }),
          body: (
            <>
              <p>
                {t(
                  "You can't take an address back once you have given it away. So give away another one. An alias costs nothing, says nothing about you and belongs to one shop, one form or one person. Mail to it reaches your real inbox; nobody who writes to it learns where that is.",
                )}
              </p>
              <p>
                {t(
                  "If an alias begins to draw spam, you know who passed it on. Pause it, and mail to it is silently dropped. Delete it, and that thread is cut. Your real address never has to change.",
                )}
              </p>
            </>
          ),
        },
        {
          id: "mission",
          title: t("Our mission"),
          body: (
            <>
              <p>{t("We want three things to stay yours.")}</p>
              <ul>
                <li>
                  {rich(
                    "<b>Your inbox.</b> What arrives there is what you asked for, and you can end it without asking anybody.",
                    { b: (inner) => <b>{inner}</b> },
                  )}
                </li>
                <li>
                  {rich(
                    "<b>Your identity.</b> Two places that both write to you can't tell from the address that you are one person.",
                    { b: (inner) => <b>{inner}</b> },
                  )}
                </li>
                <li>
                  {rich(
                    "<b>Your freedom.</b> To read, ask, sign up and speak without a file being kept about it. Privacy is not a reward for people with something to hide; it is what lets everybody else act freely.",
                    { b: (inner) => <b>{inner}</b> },
                  )}
                </li>
              </ul>
            </>
          ),
        },
        {
          id: "how",
          title: t("How we hold ourselves to it"),
          body: (
            <>
              <p>
                {t(
                  "{name} is free and keeps zero e-mail logs. Whatever has to be stored about you is sealed, so that a stolen database or backup gives no address and no message away. Encryption keys are made in your browser and the private half leaves it only under your master password. We load nothing from anybody else into these pages.",
                  { name },
                )}
              </p>
              <p>
                {rich(
                  "You don't have to take our word: the <pagelink>Privacy Policy</pagelink> says what is kept and for how long, the <pagelink2>Transparency Report</pagelink2> what we were asked for, and the encryption is age, an open format with open-source programs of others that open our files without us.",
                  {
                    pagelink: (inner) => <PageLink to="/privacy">{inner}</PageLink>,
                    pagelink2: (inner) => <PageLink to="/transparency">{inner}</PageLink>,
                  },
                )}
              </p>
            </>
          ),
        },
        built(),
      ]}
    />
  );
}

function built(): LegalPart {
  return {
    id: "built",
    title: t("Built in Lithuania"),
    body: (
      <>
        <p>
          {t(
            "Kaukė is Lithuanian for mask. At Shrovetide people here put one on and go from door to door, known to everybody and recognised by nobody. We found no better picture for an alias.",
          )}
        </p>
        <FactTable
          heads={[t("Fact"), product.name]}
          rows={[
            [t("Built in"), t("Lithuania")],
            [t("Launched"), said(legalFacts.launched)],
            [t("Version"), product.version],
            [t("Price"), t("free")],
            [t("Aliases"), t("unlimited")],
            [t("From sign-up to first alias"), t("about {seconds} seconds", { seconds: legalFacts.setupSeconds })],
            [t("E-mail logs"), legalFacts.emailLogs],
          ]}
        />
      </>
    ),
  };
}
