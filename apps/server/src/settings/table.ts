/**
 * Every setting with its default and meaning. Only these names are read, and docs/settings.md is generated from them
 * (`npx vitest run scripts/consistency/settings-page.test.ts -u`).
 */
interface SettingRow {
  name: string;
  /** Default in the setting's own syntax, or in words where there is no such value. */
  default: { value: string } | { words: string };
  meaning: string;
}

const value = (text: string) => ({ value: text });
const words = (text: string) => ({ words: text });
const unset = words("unset");

const listeners = [
  {
    name: "KAUKE_HOST",
    default: value("127.0.0.1"),
    meaning: "address that all listeners bind; `::` for all interfaces",
  },
  {
    name: "KAUKE_HTTP_PORT",
    default: value("3000"),
    meaning: "web app and API, plain HTTP; with `KAUKE_HTTPS=on` it redirects to https and answers ACME challenges",
  },
  {
    name: "KAUKE_HTTPS",
    default: value("off"),
    meaning: "`on`: the web app and API are served by https, with HTTP/2; `off`: for use behind a proxy that does so",
  },
  { name: "KAUKE_HTTPS_PORT", default: value("443"), meaning: "web app and API by https, with `KAUKE_HTTPS=on`" },
  { name: "KAUKE_MX_PORT", default: value("2525"), meaning: "incoming mail (25 in production), STARTTLS offered" },
  {
    name: "KAUKE_SUBMISSION_PORT",
    default: value("2587"),
    meaning: "submission with STARTTLS (587 in production)",
  },
  {
    name: "KAUKE_SUBMISSIONS_PORT",
    default: value("2465"),
    meaning: "submission with implicit TLS (465 in production)",
  },
  {
    name: "KAUKE_POP3S_PORT",
    default: words("`995` if `KAUKE_SUBMISSIONS_PORT` is 465, otherwise `2995`"),
    meaning:
      "POP3 with implicit TLS, whose mailbox is always empty: mail programs set an account up by themselves only with an incoming server ([why](operating.md#mail-programs-that-set-themselves-up)). If the port can't be opened, the server starts without it. `off`: neither the port nor the addresses at which mail programs find their settings",
  },
  { name: "KAUKE_METRICS_PORT", default: unset, meaning: "Prometheus text at `/metrics`, without a login" },
  {
    name: "KAUKE_TLS_CERT",
    default: words("self-signed"),
    meaning:
      "PEM file of the certificate for STARTTLS, submission and https, set together with `KAUKE_TLS_KEY`; reloaded when it changes",
  },
  { name: "KAUKE_TLS_KEY", default: words("generated"), meaning: "PEM file of the certificate's private key" },
  {
    name: "KAUKE_TLS",
    default: words("`self-signed`; `files` when both files are set"),
    meaning:
      "`acme`: certificates for all names from an issuer, ordered and renewed by itself; port 80, or 443 with `KAUKE_HTTPS=on`, must lead here ([how](operating.md#certificates))",
  },
  {
    name: "KAUKE_ACME_DIRECTORY",
    default: words("Let's Encrypt"),
    meaning: "directory of another issuer; its own root in `NODE_EXTRA_CA_CERTS`",
  },
  {
    name: "KAUKE_ACME_EMAIL",
    default: unset,
    meaning: "where the issuer may write to, e.g. before a certificate ends",
  },
] as const satisfies readonly SettingRow[];

const processes = [
  {
    name: "KAUKE_SETTINGS_FILE",
    default: value("./.env"),
    meaning: "file with settings, one `NAME=value` per line; the environment has precedence",
  },
  {
    name: "KAUKE_DATA_DIR",
    default: value("./data"),
    meaning: "embedded database, spool, generated key and certificate",
  },
  {
    name: "DATABASE_URL",
    default: unset,
    meaning: "`postgres://…`: uses this PostgreSQL (15 or newer) instead of the embedded database",
  },
  {
    name: "KAUKE_SECRET_KEY",
    default: words("generated"),
    meaning: "32 bytes in base64; encrypts the keys that seal stored data; required with `DATABASE_URL`",
  },
  {
    name: "KAUKE_SERVICES",
    default: value("api,mx,submission,sender"),
    meaning:
      "[services](operating.md#services-and-machines) that this process runs; a subset requires `DATABASE_URL`. With a forwarding provider: `api,sender`",
  },
  {
    name: "KAUKE_WORKERS",
    default: value("1"),
    meaning:
      "with `DATABASE_URL`: number of whole processes that share the ports; the embedded database has one process",
  },
  {
    name: "KAUKE_LOG_DAYS",
    default: words("90"),
    meaning:
      "days that your log system keeps the program's output; the Privacy Policy and the Transparency Report state it",
  },
  {
    name: "NODE_ENV",
    default: unset,
    meaning: "`production`: refuses `KAUKE_DELIVERY=preview`, and warns of settings meant for tests",
  },
] as const satisfies readonly SettingRow[];

const web = [
  {
    name: "KAUKE_PUBLIC_URL",
    default: words("`http://localhost:<HTTP port>`; with https `https://localhost:<HTTPS port>`"),
    meaning:
      "public origin of the web app; https turns on Secure `__Host-` cookies and HSTS. If unset, `http://127.0.0.1:<port>` counts as the same origin",
  },
  {
    name: "KAUKE_REGISTRATION",
    default: value("open"),
    meaning:
      "who may create an account: `open`: everybody who reaches the server; `invite`: whoever has a link of `npx kauke users invite` ([how](operating.md#who-may-register)); `closed`: nobody. Existing accounts sign in as ever",
  },
  {
    name: "KAUKE_TRUSTED_PROXIES",
    default: unset,
    meaning: "addresses or CIDRs of proxies whose `X-Forwarded-For` is trusted",
  },
  {
    name: "KAUKE_UNDO_SECONDS",
    default: value("6"),
    meaning: "seconds during which sending a composed message can be undone",
  },
  {
    name: "KAUKE_GOOGLE_CLIENT_ID",
    default: unset,
    meaning:
      "federated sign-in, set together with `KAUKE_GOOGLE_CLIENT_SECRET`; register `<KAUKE_PUBLIC_URL>/api/auth/google/callback` with the issuer ([how](operating.md#signing-in-with-google)). If unset, the button says that it is off",
  },
  { name: "KAUKE_GOOGLE_CLIENT_SECRET", default: unset, meaning: "secret of the client id" },
  {
    name: "KAUKE_GOOGLE_ISSUER",
    default: value("https://accounts.google.com"),
    meaning: "OpenID Connect issuer of the federated sign-in",
  },
  { name: "KAUKE_LINK_DOCS", default: words("`/docs` of this server"), meaning: "documentation, in the footer" },
  {
    name: "KAUKE_LINK_SMTP_GUIDE",
    default: words("`/docs/smtp` of this server"),
    meaning: "guide for mail programs, in the SMTP panel",
  },
  {
    name: "KAUKE_LINK_SOCIAL",
    default: value("https://social.kauke.test/"),
    meaning: "social network, in the footer; `npx kauke doctor` lists links that still lead to example addresses",
  },
  { name: "KAUKE_LINK_VIDEO", default: value("https://video.kauke.test/"), meaning: "videos, in the footer" },
  { name: "KAUKE_LINK_REVIEWS", default: value("https://reviews.kauke.test/"), meaning: "reviews, in the footer" },
  {
    name: "KAUKE_LINK_FEEDBACK",
    default: value("https://feedback.kauke.test/"),
    meaning: "where the feedback widget leads",
  },
] as const satisfies readonly SettingRow[];

const mail = [
  {
    name: "KAUKE_DOMAINS",
    default: value("kauke.test,slapta.test,rukas.test,tyla.test,vejas.test"),
    meaning: "alias domains; the first two are listed first",
  },
  {
    name: "KAUKE_MAIL_HOST",
    default: words("`mail.<first domain>`"),
    meaning:
      "the server's name in EHLO, greeting and trace fields; the self-signed certificate covers it and `smtp.<first domain>`",
  },
  {
    name: "KAUKE_USER_DOMAINS",
    default: value("5"),
    meaning:
      "own domains that an account may add; it proves each by records in DNS. `off`: none can be added, and those that are proven stay",
  },
  {
    name: "KAUKE_POSTMASTER",
    default: unset,
    meaning:
      "mailbox for postmaster@ and abuse@. If unset, their mail is stored sealed, up to 1,000 messages or 64 MiB; read it with `npx kauke doctor --mail`",
  },
  {
    name: "KAUKE_DMARC_REPORTS",
    default: unset,
    meaning: "mailbox for aggregate reports, named in the DMARC record that `npx kauke domains` prints",
  },
  { name: "KAUKE_DNS_SERVERS", default: words("the system's"), meaning: "DNS resolvers: `address:port,…`" },
  {
    name: "KAUKE_AUTHENTICATION",
    default: value("on"),
    meaning:
      "`off`: for use behind another MX that checks the mail. SPF, DKIM, DMARC and ARC are not checked, Received fields name no client, and replies to reply addresses are refused, because no sender is authenticated",
  },
  {
    name: "KAUKE_ARC_TRUSTED",
    default: value("google.com,microsoft.com,fastmail.com,messagingengine.com,icloud.com,lists.debian.org"),
    meaning:
      "domains whose ARC seal lets mail in that DMARC would refuse, for all accounts ([when](../SECURITY.md#incoming-mail)); `off`: none",
  },
  {
    name: "KAUKE_MAX_MESSAGE_BYTES",
    default: value("26214400"),
    meaning: "maximum message size; larger messages are refused with 552",
  },
  {
    name: "KAUKE_ANSWER_SECONDS",
    default: value("20"),
    meaning:
      "how long a sender waits for the destinations before its message is queued and answered; `0`: answered as soon as the message is on disk",
  },
  {
    name: "KAUKE_LIMITS",
    default: words("[the table](limits.md)"),
    meaning: "`name=count/seconds,…` changes rate limits; `off` disables them, for load tests only",
  },
] as const satisfies readonly SettingRow[];

const delivery = [
  {
    name: "KAUKE_FORWARDING",
    default: value("engine"),
    meaning:
      "who receives the aliases' mail and forwards it. `engine`: this server; `forward-email`: a provider with the REST API of Forward Email, for machines without port 25 ([how](forwarding-provider.md))",
  },
  {
    name: "KAUKE_PROVIDER_URL",
    default: value("https://api.forwardemail.net"),
    meaning: "origin of the provider's API; an address that is not public must be in `KAUKE_WEBHOOK_ALLOW`",
  },
  { name: "KAUKE_PROVIDER_KEY", default: unset, meaning: "API key of the account at the provider" },
  {
    name: "KAUKE_DELIVERY",
    default: value("preview"),
    meaning:
      "`preview`: all mail goes to the local preview inbox, which is available while `KAUKE_PUBLIC_URL` is unset or a loopback address; not allowed with `NODE_ENV=production`. `relay`: all mail goes to `KAUKE_RELAY_URL`. `direct`: mail goes to the recipients' mail hosts. `provider`, the default with a forwarding provider: all mail leaves through its API",
  },
  {
    name: "KAUKE_RELAY_URL",
    default: unset,
    meaning: "`smtp://[user:password@]host:port` or `smtps://…`; setting it implies `relay`",
  },
  {
    name: "KAUKE_DKIM",
    default: value("on"),
    meaning: "`off`: outgoing mail is not signed, because the relay signs it",
  },
  {
    name: "KAUKE_DKIM_ED25519",
    default: value("off"),
    meaning: "`on`: adds an Ed25519 signature to the RSA one; `npx kauke domains` then lists its record too",
  },
  {
    name: "KAUKE_ARC_SEAL",
    default: value("off"),
    meaning:
      "`on`: forwarded mail gets an ARC set with the results of the checks on arrival, signed with the RSA key of DKIM, if it arrived with a chain or goes to a provider known to use ARC; `always`: all forwarded mail ([when that helps](operating.md#arc))",
  },
  {
    name: "KAUKE_RETRY_SCHEDULE",
    default: words("18 waits from `30s` to `12h`, five days in all"),
    meaning: "waits between delivery attempts: `30s,2m,1h,…` (`s`, `m`, `h`, `d`)",
  },
  {
    name: "KAUKE_SPOOL_ACCOUNT_MIB",
    default: value("1024"),
    meaning:
      "maximum undelivered mail of one account on disk, in MiB; an alias may have half of it; beyond that senders get 452",
  },
  {
    name: "KAUKE_DISK_RESERVE_MIB",
    default: value("1024"),
    meaning:
      "free disk space of the data directory, in MiB, below which new mail is refused, first for the accounts with the most undelivered mail; `0`: never; embedded database only",
  },
  {
    name: "KAUKE_WEBHOOK_ALLOW",
    default: unset,
    meaning: "hosts, addresses or CIDRs that webhooks and `direct` delivery may reach although they are private",
  },
] as const satisfies readonly SettingRow[];

export const settingsTable = {
  Listeners: listeners,
  "Data and processes": processes,
  "Web app": web,
  "Incoming mail": mail,
  "Outgoing mail": delivery,
} as const;

export type SettingName = (typeof settingsTable)[keyof typeof settingsTable][number]["name"];
