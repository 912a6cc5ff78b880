import { readGuideTexts } from "../features/legal/figures.ts";
import { LegalPage, PageLink } from "../features/legal/LegalPage.tsx";
import { rich, t } from "../texts/texts.ts";

interface Source {
  id: string;
  title: string;
  how: string;
  left: string;
}

const sources: readonly Source[] = [
  {
    id: "simplelogin",
    title: t("From SimpleLogin"),
    how: t(
      "Export your data in its settings: either the file aliases.csv or the complete ZIP archive. Both are read here as they are.",
    ),
    left: t("Contacts, reverse aliases, directories and statistics do not carry over."),
  },
  {
    id: "addy",
    title: t("From addy.io"),
    how: t(
      "Enter an API key of your addy.io account here, which also brings the recipients of each alias. Or export aliases as CSV; that file names no recipients, so its aliases get your default mailbox.",
    ),
    left: t(
      "Rules, user names, failed deliveries and counters do not carry over. Deleted aliases are listed and not created.",
    ),
  },
  {
    id: "relay",
    title: t("From Firefox Relay"),
    how: t("Enter the API key shown in its settings. Masks become aliases with the name of the site in their notes."),
    left: t("Its setting to block promotional mail does not carry over."),
  },
  {
    id: "forward-email",
    title: t("From Forward Email"),
    how: t("Enter an API key, or paste the TXT records or the JSON of your aliases. Webhook destinations come along."),
    left: t("Mailboxes hosted there, catch-all addresses and regular expressions do not carry over."),
  },
  {
    id: "mailx",
    title: t("From Mailx"),
    how: t("Export aliases as CSV and choose the file here."),
    left: t("Recipients' PGP keys and logs do not carry over."),
  },
  {
    id: "kauke",
    title: t("From another {product}"),
    how: t("Export the account there and choose the file here."),
    left: t("Keys, passwords and SMTP credentials are not part of that file."),
  },
];

export function MovingGuidePage() {
  return (
    <LegalPage
      title={t("Moving in and out")}
      lead={t("Bring your aliases along, see what will happen before anything does, and leave whenever you like.")}
      parts={[
        {
          id: "how",
          title: t("How an import works"),
          body: (
            <>
              <p>
                {rich(
                  "In <pagelink>Settings</pagelink>, under Move and data, choose a file or a service. You first see what would happen to each row, and why a row would be left out. Nothing is created before you confirm, a second run creates nothing twice, and within an hour all of it can be undone.",
                  { pagelink: (inner) => <PageLink to="/settings/data">{inner}</PageLink> },
                )}
              </p>
              <ul>
                <li>{t("An address on a domain of this server is created as it is, if it is free.")}</li>
                <li>
                  {t(
                    "An address on a domain of the other service can't move. It gets a twin here with the old address in its notes, and you change the address at each site.",
                  )}
                </li>
                <li>
                  {t(
                    "Only a few addresses that other people have are named beforehand. Beyond those, whether an address is free is found out when you import it.",
                  )}
                </li>
                <li>{readGuideTexts().movingConfirm}</li>
                <li>{t("API keys of other services are used once and never stored.")}</li>
              </ul>
            </>
          ),
        },
        ...sources.map(({ id, title, how, left }) => ({
          id,
          title,
          body: (
            <>
              <p>{how}</p>
              <p>{left}</p>
            </>
          ),
        })),
        {
          id: "sites",
          title: t("Sites that have your old addresses"),
          body: (
            <p>
              {t(
                "Choose the export of your password manager. It is read in your browser and never leaves it; what remains is a checklist of the sites where an old address is in use. It is stored encrypted in your account until you delete it. Afterwards delete the exported file: it contains your passwords.",
              )}
            </p>
          ),
        },
        {
          id: "out",
          title: t("Moving out"),
          body: (
            <p>
              {t(
                "The same part of Settings saves your aliases for SimpleLogin (CSV), addy.io (CSV) and Forward Email (TXT records). To open a CSV file in a spreadsheet, save the variant for spreadsheets: in it, no cell can be taken for a formula. The complete account is in Export data.",
              )}
            </p>
          ),
        },
      ]}
    />
  );
}
