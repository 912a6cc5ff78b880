/** Guide to password managers, and to extensions and apps of other alias services. */
import { type ForwardingTexts } from "@kauke/contract";
import { readGuideTexts } from "../features/legal/figures.ts";
import { LegalPage, PageLink } from "../features/legal/LegalPage.tsx";
import { rich, t } from "../texts/texts.ts";

interface Client {
  id: string;
  title: string;
  steps: readonly string[];
  /** What the client offers but this server doesn't do. */
  limits: readonly string[];
}

const clientsOf = (texts: ForwardingTexts): readonly Client[] => [
  {
    id: "bitwarden",
    title: "Bitwarden",
    steps: [
      t(
        "In the browser extension, desktop or mobile app open the generator and choose Username, then Forwarded email alias.",
      ),
      t("As service choose addy.io or SimpleLogin; both work."),
      t("Enter the address of this site as self-host server URL and your key as API key."),
      t(
        "addy.io also asks for a domain: enter one that the create form offers. With SimpleLogin the default domain of your settings is used.",
      ),
    ],
    limits: [
      t("The web vault of Bitwarden's own cloud can't reach other servers; its extension and its apps can."),
      t(
        'With Vaultwarden, the operator first has to allow this site for the web vault: ALLOWED_CONNECT_SRC="https://…" with the address of this site.',
      ),
    ],
  },
  {
    id: "keyguard",
    title: "Keyguard",
    steps: [
      t("Open Settings, then Email forwarders, and add one of the type addy.io or SimpleLogin."),
      t("Enter your key and, as base URL, the address of this site."),
      t("For addy.io also enter a domain that the create form offers."),
    ],
    limits: [],
  },
  {
    id: "addy-extension",
    title: t("Extension of addy.io"),
    steps: [
      t("Choose to sign in with an API key."),
      t("Enter the address of this site, without a slash at its end, as instance, and your key."),
    ],
    limits: [
      t("Counters are 0 and lists of activity are empty: this server keeps no statistics about your mail."),
      t("A deleted alias can't be restored."),
      t("Sign-in with user name and password does not work; use a key."),
    ],
  },
  {
    id: "addy-apps",
    title: t("Apps of addy.io"),
    steps: [
      t("Create a key with all scopes. The page shows a QR code with it."),
      t("Scan the code on the app's first screen, or enter the address of this site and the key."),
    ],
    limits: [
      t("User names, rules, failed deliveries and the block list are empty."),
      t("Own domains are listed; add them here, not in the app."),
      t("Recipients are the confirmed mailboxes of your account; add them here, not in the app."),
      t("Webhooks of an alias are not shown, and stay when the app changes its recipients."),
    ],
  },
  {
    id: "simplelogin-extension",
    title: t("Extension of SimpleLogin"),
    steps: [
      t("On its first screen open the settings and enter the address of this site as API URL."),
      t("Choose to sign in with an API key and enter your key."),
    ],
    limits: [texts.clientsReverse, t("Counters are 0 and activity is empty.")],
  },
  {
    id: "simplelogin-apps",
    title: t("Apps of SimpleLogin"),
    steps: [t("On the sign-in screen change the API URL to the address of this site."), t("Sign in with an API key.")],
    limits: [
      t("The iOS app needs a server that answers by https at port 443."),
      t("Contacts and activity are empty, counters are 0. Mailboxes are added here."),
    ],
  },
];

const scopes = [
  ["aliases:create", t("create aliases; enough for Bitwarden and Keyguard.")],
  ["aliases:read", t("list and export aliases.")],
  ["aliases:write", t("change, pause, label and delete aliases.")],
  ["account:read", t("read mailboxes, defaults and the account's figures.")],
] as const;

function Items({ texts }: { texts: readonly string[] }) {
  return (
    <ul>
      {texts.map((text) => (
        <li key={text}>{text}</li>
      ))}
    </ul>
  );
}

export function ClientsGuidePage() {
  return (
    <LegalPage
      title={t("Password managers and apps")}
      lead={t("Use {product} where you already create addresses. The programs are compatible, not affiliated.")}
      parts={[
        {
          id: "key",
          title: t("Create a key"),
          body: (
            <>
              <p>
                {rich(
                  "In <pagelink>Settings</pagelink>, under API keys, create one key for each program. It is shown once; copy it into the program. If a program or device is lost, revoke its key: it stops working at once.",
                  { pagelink: (inner) => <PageLink to="/settings/programs">{inner}</PageLink> },
                )}
              </p>
              <ul>
                {scopes.map(([scope, what]) => (
                  <li key={scope}>
                    <code>{scope}</code>: {what}
                  </li>
                ))}
              </ul>
              <p>
                {t(
                  "Extensions and apps need all four scopes. Whatever its scopes, a key can point aliases only at confirmed mailboxes, and it never reads SMTP passwords, webhook secrets or encryption keys.",
                )}
              </p>
              <p>
                {t(
                  "An alias that a program creates forwards to the default mailbox. Choose it, the default domain and the form of generated names in Settings, under New aliases.",
                )}
              </p>
            </>
          ),
        },
        ...clientsOf(readGuideTexts()).map(({ id, title, steps, limits }) => ({
          id,
          title,
          body: (
            <>
              <Items texts={steps} />
              {limits.length === 0 ? null : (
                <>
                  <p>{t("What is different:")}</p>
                  <Items texts={limits} />
                </>
              )}
            </>
          ),
        })),
        {
          id: "scripts",
          title: t("Scripts"),
          body: (
            <p>
              {rich(
                "Every call that a key may make is described at <code>/api/openapi.json</code>. Send the key as <code2>Authorization: Bearer …</code2>.",
                { code: (inner) => <code>{inner}</code>, code2: (inner) => <code>{inner}</code> },
              )}
            </p>
          ),
        },
      ]}
    />
  );
}
