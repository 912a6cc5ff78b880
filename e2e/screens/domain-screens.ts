/** Screens of own domains in Settings, for the list of screens to capture. DNS and the server are canned responses. */
import { type AccountDomainWire, appearMessages, type DomainRecordWire, type NoticeWire } from "@kauke/contract";
import type { Locator } from "playwright-core";
import type { Visit } from "../browser/browser.ts";
import { seeGone } from "../browser/see.ts";
import { holdToast, onlyLong, overlaid } from "./make-screen.ts";
import type { Screen } from "./screen.ts";

const path = /\/api\/account\/domains$/;
const createdAt = "2026-09-28T10:00:00.000Z";
const checkedAt = "2026-09-28T10:20:05.000Z";
const idOf = (at: number) => `00000000-0000-4000-8000-00000000000${at}`;
const key = `v=DKIM1; k=rsa; p=${"MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A".repeat(11)}IDAQAB`;

type Seen = Partial<Record<DomainRecordWire["name"], Pick<DomainRecordWire, "state" | "found">>>;

function recordsOf(domain: string, seen: Seen, state: DomainRecordWire["state"] = "right"): DomainRecordWire[] {
  const txt = { type: "TXT", priority: null, isRequired: false } as const;
  const records = [
    {
      ...txt,
      name: "ownership",
      isRequired: true,
      host: `_kauke.${domain}`,
      value: `kauke-domain=${"k7vqx2mc".repeat(4)}`,
    },
    { name: "mx", type: "MX", isRequired: true, host: domain, value: "mail.kauke.test", priority: 10 },
    { ...txt, name: "spf", host: domain, value: "v=spf1 a:mail.kauke.test -all" },
    { ...txt, name: "dkim", host: `kauke1._domainkey.${domain}`, value: key },
    { ...txt, name: "dkim_next", host: `kauke2._domainkey.${domain}`, value: key },
    { ...txt, name: "dmarc", host: `_dmarc.${domain}`, value: "v=DMARC1; p=reject; adkim=r; aspf=r" },
    { ...txt, name: "mta_sts_host", type: "CNAME", host: `mta-sts.${domain}`, value: "kauke.test" },
    { ...txt, name: "mta_sts", host: `_mta-sts.${domain}`, value: "v=STSv1; id=5b1d0f6a1c3e2d4f5a6b" },
    { ...txt, name: "tls_rpt", host: `_smtp._tls.${domain}`, value: `v=TLSRPTv1; rua=mailto:postmaster@${domain}` },
  ] as const;
  return records.map((record) => ({ ...record, state, found: [], ...seen[record.name] }));
}

const domainAt = (at: number, domain: string, more: Partial<AccountDomainWire>): AccountDomainWire => ({
  id: idOf(at),
  domain,
  shownDomain: domain,
  state: "proven",
  createdAt,
  provenAt: checkedAt,
  checkedAt,
  failingSince: null,
  stateUntil: null,
  aliasCount: 0,
  displayName: null,
  appear: "off",
  prefixes: [],
  neverNames: [],
  policy: "none",
  records: recordsOf(domain, {}),
  ...more,
});

const faulty: Seen = {
  ownership: { state: "right", found: [] },
  mx: { state: "conflict", found: ["10 mail.kauke.test", "20 mx.of-another-service-with-a-long-name.hosting.example"] },
  spf: { state: "conflict", found: ["v=spf1 include:_spf.hosting.example ~all", "v=spf1 a:mail.kauke.test -all"] },
  dkim: { state: "wrong", found: [`${key.slice(0, 299)}…`] },
  dkim_next: { state: "unread", found: [] },
  dmarc: { state: "missing", found: [] },
  mta_sts_host: { state: "conflict", found: ["192.0.2.7", "2001:db8::7"] },
  mta_sts: { state: "missing", found: [] },
  tls_rpt: { state: "wrong", found: ["v=TLSRPTv1; rua=postmaster"] },
};

const long = "domain-of-somebody-with-a-name-that-fills-all-sixty-three-octets.of-a-department.university.example";
const domains: readonly AccountDomainWire[] = [
  domainAt(1, "jonas.example", { aliasCount: 1204, displayName: "Jonas of Own" }),
  domainAt(2, "xn--uolas-2wa16f.example", {
    shownDomain: "ąžuolas.example",
    aliasCount: 1,
    records: recordsOf("xn--uolas-2wa16f.example", { dmarc: { state: "missing", found: [] } }),
  }),
  domainAt(5, "lapsed.example", {
    state: "failing",
    failingSince: checkedAt,
    stateUntil: "2026-03-08T12:00:00.000Z",
    records: recordsOf("lapsed.example", { mx: { state: "missing", found: [] } }),
  }),
  domainAt(3, long, { state: "new", policy: "delayed", provenAt: null, records: recordsOf(long, faulty) }),
];
const added = domainAt(4, "jonas.example", {
  state: "new",
  provenAt: null,
  checkedAt: null,
  records: recordsOf("jonas.example", {}, "unread"),
});

interface Listed {
  domains: readonly AccountDomainWire[];
  max: number;
}

async function goToDomains({ page, context }: Visit, listed: Listed): Promise<void> {
  await context.route(path, (route) =>
    route.request().method() === "POST"
      ? route.fulfill({ status: 409, json: { code: "domain_exists", message: "You have added this domain already" } })
      : route.fulfill({ json: listed }),
  );
  await page.goto("/settings/domains");
  await page.getByRole("heading", { name: "Own domains", exact: true }).waitFor();
}

const settings = (name: string, open: Screen["open"]): Screen => ({ name: `settings-${name}`, as: "some", open });

const listed = (name: string, list: Listed, text: string): Screen =>
  settings(name, async (visit) => {
    await goToDomains(visit, list);
    await visit.page.getByText(text).first().waitFor();
  });

/** With the group of optional records open. */
const optional = settings("domains-optional", async (visit) => {
  await goToDomains(visit, { domains: domains.slice(-1), max: 5 });
  await visit.page.getByText("Optional: encrypted delivery").click();
  await visit.page.getByText("It leads to other servers as well").waitFor();
});

function dialog(name: string, opener: string, fill: (form: Locator, visit: Visit) => Promise<void>): Screen {
  const open = async (visit: Visit) => {
    await visit.page.getByRole("button", { name: opener }).click();
    await fill(visit.page.getByRole("dialog"), visit);
  };
  return overlaid({
    ...settings(name, async (visit) => {
      await goToDomains(visit, { domains, max: 5 });
      await open(visit);
    }),
    async goOn(visit) {
      await visit.page.keyboard.press("Escape");
      await seeGone(visit.page.getByRole("dialog"));
      await open(visit);
    },
  });
}

const since = "2026-10-02T10:20:05.000Z";
const withoutMx = recordsOf("lapsed.example", { mx: { state: "missing", found: [] } });
const lapsed = (state: AccountDomainWire["state"], stateUntil: string): AccountDomainWire =>
  domainAt(5, "lapsed.example", { state, failingSince: since, stateUntil, aliasCount: 31, records: withoutMx });

const notices = {
  domain_healed: "lapsed.example works again: its records in DNS are right, and its mail is accepted and sent.",
  domain_closed:
    "Mail for lapsed.example is refused now, because its records in DNS are still not right. The domain stays yours until 15 Nov 2026.",
  domain_suspended:
    "Mail for lapsed.example waits at its senders until 16 Oct 2026, and nothing is sent from it, because its records in DNS are still not right.",
  domain_failing:
    'Records of lapsed.example are missing or wrong in DNS. Its mail goes on until 9 Oct 2026; please set them right under Settings, "Domains".',
} as const satisfies Partial<Record<NoticeWire["kind"], string>>;

/** The notices of each state of a domain, on the Dashboard. */
async function goToNotices({ page, context }: Visit): Promise<void> {
  const all = Object.entries(notices).map(([kind, text], at) => ({
    id: idOf(at),
    kind,
    aliasId: null,
    text,
    createdAt: since,
  }));
  await context.route(/\/api\/notices$/, (route) => route.fulfill({ json: { notices: all } }));
  await page.goto("/dashboard");
  await page.getByRole("button", { name: "Show all 4 notices" }).click();
  await page.getByText("Domain paused", { exact: true }).waitFor();
}

/** Checks a paused domain whose records are right again. */
async function heal(visit: Visit): Promise<void> {
  await goToDomains(visit, { domains: [lapsed("suspended", "2026-10-16T10:20:05.000Z")], max: 5 });
  const healed = domainAt(5, "lapsed.example", { aliasCount: 31, records: recordsOf("lapsed.example", {}) });
  await visit.context.route(/\/api\/account\/domains\/[^/]+\/check$/, (route) => route.fulfill({ json: healed }));
  await visit.page.getByRole("button", { name: /^Check Now/ }).click();
  await visit.page.getByText("Works", { exact: true }).waitFor();
  await holdToast(visit);
}

/** From with an alias on a domain that is paused. */
async function composeFromPaused({ page, context }: Visit): Promise<void> {
  const alias = { id: idOf(9), alias: "shop", domain: "lapsed.example" };
  await context.route(path, (route) =>
    route.fulfill({ json: { domains: [lapsed("suspended", "2026-10-16T10:20:05.000Z")], max: 5 } }),
  );
  await context.route(/\/api\/aliases\/[^/]+\/with-smtp$/, (route) => route.fulfill({ json: { aliases: [alias] } }));
  await page.goto("/compose");
  await page.getByText("Nothing can be sent from lapsed.example now").waitFor();
}

const ruled = (more: Partial<AccountDomainWire>): Listed => ({
  domains: [domainAt(1, "jonas.example", { aliasCount: 1204, ...more })],
  max: 5,
});
const refusedNames = ["spam", "offers.2019", "newsletter-of-a-shop-that-i-have-not-visited-for-years", "win"];

const appearing = (name: string, list: Listed, open: Screen["open"] = async () => {}): Screen =>
  settings(`domain-appear-${name}`, async (visit) => {
    await goToDomains(visit, list);
    await visit.page.getByRole("button", { name: /^Change which aliases appear/ }).click();
    await visit.page.getByRole("radiogroup", { name: "Names that appear" }).waitFor();
    await open(visit);
  });

async function saveWrongBeginning({ page, context, expectRefusal }: Visit): Promise<void> {
  expectRefusal(400, /\/domains\//);
  const errors = { "prefixes.1": [appearMessages.prefix] };
  await context.route(`**/api/account/domains/${idOf(1)}`, (route) =>
    route.fulfill({ status: 400, json: { code: "invalid", message: "Invalid", errors } }),
  );
  await page.getByRole("radio", { name: "Chosen beginnings" }).click();
  await page.getByLabel(/^Beginnings of names/).fill("shop., news*, (a+)+$");
  await page.keyboard.press("Enter");
  await page.getByText(appearMessages.prefix).waitFor();
}

/** A domain on which aliases of the account already forward to a mailbox. */
async function goToForwardedDomain(visit: Visit): Promise<void> {
  const mailbox = { id: idOf(8), confirmed: true, state: "confirmed", isDefault: true, aliasCount: 3, createdAt };
  await visit.context.route(/\/api\/mailboxes$/, (route) =>
    route.fulfill({ json: { mailboxes: [{ ...mailbox, email: "jonas.petraitis@jonas.example" }] } }),
  );
  await goToDomains(visit, { domains: [added], max: 5 });
  await visit.page.getByText("Your aliases forward to mailboxes on this domain").waitFor();
}

export const domainScreens: readonly Screen[] = [
  onlyLong(settings("domain-forwarded", goToForwardedDomain)),
  onlyLong(
    listed(
      "domain-failing",
      { domains: [lapsed("failing", "2026-10-09T10:20:05.000Z")], max: 5 },
      "mail goes on until",
    ),
  ),
  onlyLong(
    listed(
      "domain-suspended",
      { domains: [lapsed("suspended", "2026-10-16T10:20:05.000Z")], max: 5 },
      "Mail waits at its senders until",
    ),
  ),
  onlyLong(
    listed("domain-closed", { domains: [lapsed("closed", "2026-11-15T10:20:05.000Z")], max: 5 }, "is reserved for you"),
  ),
  onlyLong(settings("domain-healed", heal)),
  onlyLong({ name: "dashboard-domain-notices", as: "some", open: goToNotices }),
  onlyLong({ name: "compose-domain-paused", as: "some", open: composeFromPaused }),
  listed("domains", { domains, max: 5 }, "There are two SPF records"),
  onlyLong(
    settings("domains-name", async (visit) => {
      await goToDomains(visit, { domains, max: 5 });
      const { page } = visit;
      await page.getByRole("button", { name: "Change the display name of jonas.example" }).click();
      await page.getByRole("textbox", { name: "Display name" }).fill("boss@jonas.example");
      await page.keyboard.press("Enter");
      await page.getByRole("alert").waitFor();
    }),
  ),
  onlyLong(optional),
  onlyLong(listed("domains-added", { domains: [added], max: 1 }, "Not looked up yet")),
  onlyLong(listed("domains-empty", { domains: [], max: 5 }, "No own domains yet")),
  onlyLong(listed("domains-off", { domains: [], max: 0 }, "No own domains here")),
  onlyLong(
    settings("domains-loading", async ({ page, context }) => {
      await context.route(path, () => {});
      await page.goto("/settings/domains");
      await page.getByRole("heading", { name: "Own domains", exact: true }).waitFor();
    }),
  ),
  onlyLong(
    settings("domains-failed", async ({ page, context, expectFailure }) => {
      expectFailure("/api/account/domains");
      await context.route(path, (route) => route.abort("connectionrefused"));
      await page.goto("/settings/domains");
      await page.getByText("Your domains could not be loaded").waitFor();
    }),
  ),
  {
    ...onlyLong(
      dialog("domain-add", "Add Domain", async (form, { expectRefusal }) => {
        expectRefusal(409, "/api/account/domains");
        await form.getByLabel("Domain").fill("jonas.example");
        await form.getByRole("button", { name: "Add Domain" }).click();
        await form.getByText("You have added this domain already").waitFor();
      }),
    ),
    goOn: undefined,
  },
  onlyLong(
    dialog("domain-remove", "Remove jonas.example", (form) => form.getByText("Aliases on this domain").waitFor()),
  ),
  onlyLong(appearing("off", ruled({}))),
  appearing("all", ruled({ appear: "all", neverNames: refusedNames })),
  onlyLong(appearing("beginnings", ruled({ appear: "prefixes", prefixes: ["shop.", "news-", "x"] }))),
  onlyLong(appearing("error", ruled({}), saveWrongBeginning)),
];
