/** The target of the SMTP panel's setup guide, unless the operator sets another. */
import { useState } from "react";
import { readProvider, readSiteDomain } from "../app/page-settings.ts";
import { readGuideTexts } from "../features/legal/figures.ts";
import { FactTable, LegalPage, PageLink } from "../features/legal/LegalPage.tsx";
import { rich, t } from "../texts/texts.ts";

function Values() {
  const [{ domain }] = useState(readSiteDomain);
  const [provider] = useState(readProvider);
  return (
    <FactTable
      heads={[t("Field"), t("Value")]}
      rows={[
        [t("Server"), provider?.smtpHost ?? `smtp.${domain}`],
        [t("Port with STARTTLS"), "587"],
        [t("Port with SSL/TLS"), "465"],
        [t("User name"), t("the whole alias address")],
        [t("Password"), t("from the alias' SMTP panel")],
        [t("Authentication"), t("normal password")],
      ]}
    />
  );
}

const programs = [
  {
    id: "thunderbird",
    title: "Thunderbird",
    steps: [
      t("Open Account Settings, then Outgoing Server (SMTP), and press Add."),
      t("Enter server, port and user name from the table; as connection security choose STARTTLS or SSL/TLS."),
      t(
        "Under your account press Manage Identities, add one with the alias as its address, and choose the new server for it.",
      ),
    ],
  },
  {
    id: "apple-mail",
    title: "Apple Mail",
    steps: [
      t("Open Settings, then Accounts, then Server Settings, and edit the list of outgoing servers."),
      t("Add one with the values from the table, and switch off the automatic management of connection settings."),
      t("Under Account Information add the alias to the e-mail addresses: it can then be chosen as From."),
    ],
  },
  {
    id: "outlook",
    title: "Outlook",
    steps: [
      t("Add an account with the alias as its address and choose the manual setup, type IMAP or POP."),
      t("As outgoing server enter the values from the table. The incoming server is that of your real mailbox."),
    ],
  },
  {
    id: "gmail",
    title: "Gmail",
    steps: [
      t("Open Settings, then Accounts and Import, and under “Send mail as” add another address: the alias."),
      t("Enter the values from the table. Gmail sends a message with a code to the alias, which is forwarded to you."),
    ],
  },
] as const;

export function SmtpGuidePage() {
  const texts = readGuideTexts();
  return (
    <LegalPage
      title={t("SMTP setup guide")}
      lead={t("Send from an alias with your own mail program.")}
      parts={[
        {
          id: "values",
          title: t("What to enter"),
          body: (
            <>
              <p>
                {rich(
                  "On the <pagelink>dashboard</pagelink> open the SMTP panel of an alias and create its credentials. The password is shown once, and can be viewed again there.",
                  { pagelink: (inner) => <PageLink to="/dashboard">{inner}</PageLink> },
                )}
              </p>
              <Values />
            </>
          ),
        },
        {
          id: "by-itself",
          title: t("What programs find by themselves"),
          body: (
            <ul>
              <li>{texts.smtpPrograms}</li>
              <li>{texts.smtpProfile}</li>
              <li>{texts.smtpIncoming}</li>
              <li>{texts.smtpTest}</li>
            </ul>
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
          title: t("When a message is refused"),
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
