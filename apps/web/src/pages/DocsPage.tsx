/** The target of the footer's Documentation link, unless the operator sets another. */
import { limits, product, sessionTimes } from "@kauke/contract";
import { minutesText, readForwardingTexts } from "../features/legal/figures.ts";
import { LegalPage, PageLink } from "../features/legal/LegalPage.tsx";

export function DocsPage() {
  const { name } = product;
  const texts = readForwardingTexts();
  return (
    <LegalPage
      title="Documentation"
      lead={`How to use ${name}, from the first alias to encrypted mail.`}
      parts={[
        {
          id: "aliases",
          title: "Create an alias",
          body: (
            <>
              <p>
                On the <PageLink to="/dashboard">dashboard</PageLink> choose a name and a domain, and enter where mail
                goes: mailboxes, webhook addresses or both, with commas between them. {texts.docsAlias}
              </p>
              <ul>
                <li>
                  The switch in its row pauses an alias. Mail to a paused alias is silently dropped; its sender notices
                  nothing.
                </li>
                <li>The pencil edits name, destinations and notes in place: Enter saves, Escape cancels.</li>
                <li>Deleting an alias is final. Its address is refused from then on.</li>
              </ul>
            </>
          ),
        },
        {
          id: "confirm",
          title: "Confirm a mailbox",
          body: (
            <p>
              {texts.docsConfirm} The address you sign in with counts as confirmed once you have confirmed it in{" "}
              <PageLink to="/settings/account">Settings</PageLink>.
            </p>
          ),
        },
        {
          id: "answer",
          title: "Answer as the alias",
          body: <p>{texts.docsAnswer}</p>,
        },
        {
          id: "send",
          title: "Send from an alias",
          body: (
            <p>
              Open the SMTP panel of an alias to create credentials. With them you write in the browser, on{" "}
              <PageLink to="/compose">Compose</PageLink>, or in your own mail program: see the{" "}
              <PageLink to="/docs/smtp">SMTP setup guide</PageLink>. A message from Compose can be undone for a moment,
              and again in the list above the form while it waits.
            </p>
          ),
        },
        {
          id: "encrypt",
          title: "Encrypt and decrypt",
          body: (
            <>
              <p>
                Create a key in <PageLink to="/settings">Settings</PageLink>. It is made in your browser, and its
                private half leaves it only under your master password, which nobody can reset. Whoever has your public
                key can write to you; you read it on <PageLink to="/decrypt">Decrypt</PageLink>.
              </p>
              <p>
                Downloaded as <code>.age</code>, a key stays locked: the age program opens it with your password. As{" "}
                <code>.json</code> it is unlocked, for other programs.
              </p>
            </>
          ),
        },
        {
          id: "clients",
          title: "Password managers, apps, moving",
          body: (
            <p>
              Bitwarden, Keyguard and the extensions and apps of addy.io and SimpleLogin can create aliases here with an
              API key: see <PageLink to="/docs/clients">Password managers and apps</PageLink>. Aliases that you have
              elsewhere can be imported: see <PageLink to="/docs/moving">Moving in and out</PageLink>.
            </p>
          ),
        },
        {
          id: "webhooks",
          title: "Webhooks",
          body: (
            <p>
              A destination that begins with <code>https://</code> {texts.docsWebhooks} The calls of this server are
              described at <code>/api/openapi.json</code>.
            </p>
          ),
        },
        {
          id: "limits",
          title: "Limits",
          body: (
            <ul>
              <li>Notes of an alias: {limits.notesMax} characters.</li>
              <li>Destinations of an alias: {limits.destinationsMax}.</li>
              <li>Encryption keys of an account: {limits.encryptionKeysMax}.</li>
              <li>A session ends after {minutesText(sessionTimes.idleSeconds)} without activity.</li>
            </ul>
          ),
        },
      ]}
    />
  );
}
