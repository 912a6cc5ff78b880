/** The target of the SMTP panel's setup guide, unless the operator sets another. */
import { useState } from "react";
import { readProvider, readSiteDomain } from "../app/page-settings.ts";
import { readForwardingTexts } from "../features/legal/figures.ts";
import { FactTable, LegalPage, PageLink } from "../features/legal/LegalPage.tsx";

function Values() {
  const [{ domain }] = useState(readSiteDomain);
  const [provider] = useState(readProvider);
  return (
    <FactTable
      heads={["Field", "Value"]}
      rows={[
        ["Server", provider?.smtpHost ?? `smtp.${domain}`],
        ["Port with STARTTLS", "587"],
        ["Port with SSL/TLS", "465"],
        ["User name", "the whole alias address"],
        ["Password", "from the alias' SMTP panel"],
        ["Authentication", "normal password"],
      ]}
    />
  );
}

const programs = [
  {
    id: "thunderbird",
    title: "Thunderbird",
    steps: [
      "Open Account Settings, then Outgoing Server (SMTP), and press Add.",
      "Enter server, port and user name from the table; as connection security choose STARTTLS or SSL/TLS.",
      "Under your account press Manage Identities, add one with the alias as its address, and choose the new server for it.",
    ],
  },
  {
    id: "apple-mail",
    title: "Apple Mail",
    steps: [
      "Open Settings, then Accounts, then Server Settings, and edit the list of outgoing servers.",
      "Add one with the values from the table, and switch off the automatic management of connection settings.",
      "Under Account Information add the alias to the e-mail addresses: it can then be chosen as From.",
    ],
  },
  {
    id: "outlook",
    title: "Outlook",
    steps: [
      "Add an account with the alias as its address and choose the manual setup, type IMAP or POP.",
      "As outgoing server enter the values from the table. The incoming server is that of your real mailbox.",
    ],
  },
  {
    id: "gmail",
    title: "Gmail",
    steps: [
      "Open Settings, then Accounts and Import, and under “Send mail as” add another address: the alias.",
      "Enter the values from the table. Gmail sends a message with a code to the alias, which is forwarded to you.",
    ],
  },
] as const;

export function SmtpGuidePage() {
  const texts = readForwardingTexts();
  return (
    <LegalPage
      title="SMTP setup guide"
      lead="Send from an alias with your own mail program."
      parts={[
        {
          id: "values",
          title: "What to enter",
          body: (
            <>
              <p>
                On the <PageLink to="/dashboard">dashboard</PageLink> open the SMTP panel of an alias and create its
                credentials. The password is shown once, and can be viewed again there.
              </p>
              <Values />
            </>
          ),
        },
        ...programs.map(({ id, title, steps }) => ({
          id,
          title,
          body: (
            <ul>
              {steps.map((step) => (
                <li key={step}>{step}</li>
              ))}
            </ul>
          ),
        })),
        {
          id: "refused",
          title: "When a message is refused",
          body: (
            <ul>
              <li>{texts.smtpPassword}</li>
              <li>{texts.smtpFrom}</li>
              <li>{texts.smtpLeak}</li>
            </ul>
          ),
        },
      ]}
    />
  );
}
