/** The target of the footer's Documentation link, unless the operator sets another. */
import { limits, product, sessionTimes } from "@kauke/contract";
import { readGuideTexts } from "../features/legal/figures.ts";
import { LegalPage, type LegalPart, PageLink } from "../features/legal/LegalPage.tsx";
import { plural } from "../texts/plural.ts";
import { rich, t } from "../texts/texts.ts";

export function DocsPage() {
  const { name } = product;
  const texts = readGuideTexts();
  return (
    <LegalPage
      title={t("Documentation")}
      lead={t("How to use {name}, from the first alias to encrypted mail.", { name })}
      parts={[
        creating(texts),
        {
          id: "confirm",
          title: t("Confirm a mailbox"),
          body: (
            <p>
              {rich(
                "{docsConfirm} The address you sign in with counts as confirmed once you have confirmed it in <pagelink>Settings</pagelink>.",
                {
                  docsConfirm: texts.docsConfirm,
                  pagelink: (inner) => <PageLink to="/settings/account">{inner}</PageLink>,
                },
              )}
            </p>
          ),
        },
        {
          id: "answer",
          title: t("Answer as the alias"),
          body: <p>{texts.docsAnswer}</p>,
        },
        {
          id: "send",
          title: t("Send from an alias"),
          body: (
            <p>
              {rich(
                "Open the SMTP panel of an alias to create credentials. With them you write in the browser, on <pagelink>Compose</pagelink>, or in your own mail program: see the <pagelink2>SMTP setup guide</pagelink2>. A message from Compose can be undone for a moment, and again in the list above the form while it waits.",
                {
                  pagelink: (inner) => <PageLink to="/compose">{inner}</PageLink>,
                  pagelink2: (inner) => <PageLink to="/docs/smtp">{inner}</PageLink>,
                },
              )}
            </p>
          ),
        },
        {
          id: "encrypt",
          title: t("Encrypt and decrypt"),
          body: (
            <>
              <p>
                {rich(
                  "Create a key in <pagelink>Settings</pagelink>. It is made in your browser, and its private half leaves it only under your master password, which nobody can reset. Whoever has your public key can write to you; you read it on <pagelink2>Decrypt</pagelink2>.",
                  {
                    pagelink: (inner) => <PageLink to="/settings">{inner}</PageLink>,
                    pagelink2: (inner) => <PageLink to="/decrypt">{inner}</PageLink>,
                  },
                )}
              </p>
              <p>
                {rich(
                  "Downloaded as <code>.age</code>, a key stays locked: the age program opens it with your password. As <code2>.json</code2> it is unlocked, for other programs.",
                  { code: (inner) => <code>{inner}</code>, code2: (inner) => <code>{inner}</code> },
                )}
              </p>
            </>
          ),
        },
        {
          id: "clients",
          title: t("Password managers, apps, moving"),
          body: (
            <p>
              {rich(
                "Bitwarden, Keyguard and the extensions and apps of addy.io and SimpleLogin can create aliases here with an API key: see <pagelink>Password managers and apps</pagelink>. Aliases that you have elsewhere can be imported: see <pagelink2>Moving in and out</pagelink2>.",
                {
                  pagelink: (inner) => <PageLink to="/docs/clients">{inner}</PageLink>,
                  pagelink2: (inner) => <PageLink to="/docs/moving">{inner}</PageLink>,
                },
              )}
            </p>
          ),
        },
        {
          id: "webhooks",
          title: t("Webhooks"),
          body: (
            <p>
              {rich(
                "A destination that begins with <code>https://</code> {docsWebhooks} The calls of this server are described at <code2>/api/openapi.json</code2>.",
                {
                  docsWebhooks: texts.docsWebhooks,
                  code: (inner) => <code>{inner}</code>,
                  code2: (inner) => <code>{inner}</code>,
                },
              )}
            </p>
          ),
        },
        figures(),
      ]}
    />
  );
}

function creating(texts: ReturnType<typeof readGuideTexts>): LegalPart {
  return {
    id: "aliases",
    title: t("Create an alias"),
    body: (
      <>
        <p>
          {rich(
            "On the <pagelink>dashboard</pagelink> choose a name and a domain, and enter where mail goes: mailboxes, webhook addresses or both, with commas between them. {docsAlias}",
            { docsAlias: texts.docsAlias, pagelink: (inner) => <PageLink to="/dashboard">{inner}</PageLink> },
          )}
        </p>
        <ul>
          <li>
            {t(
              "The switch in its row pauses an alias. Mail to a paused alias is silently dropped; its sender notices nothing.",
            )}
          </li>
          <li>{t("The pencil edits name, destinations and notes in place: Enter saves, Escape cancels.")}</li>
          <li>{t("Deleting an alias is final. Its address is refused from then on.")}</li>
        </ul>
      </>
    ),
  };
}

function figures(): LegalPart {
  const idleMinutes = sessionTimes.idleSeconds / 60;
  return {
    id: "limits",
    title: t("Limits"),
    body: (
      <ul>
        <li>{t("Notes of an alias: {notesMax} characters.", { notesMax: limits.notesMax })}</li>
        <li>{t("Destinations of an alias: {destinationsMax}.", { destinationsMax: limits.destinationsMax })}</li>
        <li>
          {t("Encryption keys of an account: {encryptionKeysMax}.", {
            encryptionKeysMax: limits.encryptionKeysMax,
          })}
        </li>
        <li>
          {plural(
            idleMinutes,
            "A session ends after {count} minute without activity.",
            "A session ends after {count} minutes without activity.",
            { count: idleMinutes },
          )}
        </li>
      </ul>
    ),
  };
}
