/** Screens of the admin page, for the list of screens to capture. The server's part is played by canned responses. */
import type {
  AccountOfServerWire,
  HealthCheckWire,
  MailProbeWire,
  OpenInviteWire,
  OperatorActWire,
  QueueOfHostWire,
  ServerStateWire,
  UserWire,
} from "@kauke/contract";
import type { Page, Route } from "playwright-core";
import type { Visit } from "../browser/browser.ts";
import { seeGone } from "../browser/see.ts";
import { onlyLong, overlaid } from "./make-screen.ts";
import type { Screen } from "./screen.ts";

const idOf = (at: number) => `0b9d4c1e-7f2a-4e35-9c88-00000000000${at}`;
const at = "2026-09-28T10:00:00.000Z";

const state: ServerStateWire = {
  version: "1.0.24",
  publicUrl: "https://kauke.example",
  mailHost: "mail.kauke.example",
  delivery: "direct",
  database: "embedded",
  registration: "open",
  isOpenToStrangers: true,
  certificates: [
    {
      names: ["kauke.example", "mail.kauke.example", "smtp.kauke.example"],
      missing: [],
      expiresAt: "2126-01-28T10:00:00.000Z",
      nextAt: "2125-12-28T10:00:00.000Z",
      problem: null,
    },
    {
      names: [],
      missing: ["mta-sts.kauke.example"],
      expiresAt: null,
      nextAt: "2125-11-28T10:00:00.000Z",
      problem: "Names have no address in DNS, or lead elsewhere: set the records that `kauke domains` prints.",
    },
  ],
  lastBackupAt: null,
  queue: { open: 46, oldestAt: at, messageBytes: 2_411_724, keptForOperator: 0 },
  provider: null,
  limits: [
    { name: "mail to an alias, an account", says: "600 an hour, 3,000 an hour; then the sender gets 451" },
    { name: "aliases of an account", says: "10,000; then creating one is refused" },
    { name: "message", says: "25 MiB, 100 recipients, 100 hops" },
  ],
};

const checks: readonly HealthCheckWire[] = [
  ["ok", "server", "process", "Kauke 1.0.24 runs here: http, https, mx, submission, submissions."],
  ["ok", "store", "database", "It can be opened and written."],
  [
    "warn",
    "registration",
    "open",
    "Everybody who finds this server can create an account: set KAUKE_REGISTRATION to invite or closed, unless you want that.",
  ],
  ["ok", "delivery", "direct", "Mail is sent to other hosts."],
  [
    "fix",
    "reverse-name",
    "192.0.2.25",
    "Its reverse name is not mail.kauke.example: set it at the provider of the address (the hosting company).",
  ],
  [
    "fix",
    "issued",
    "mta-sts.kauke.example",
    "No certificate yet. Names have no address in DNS: set the records that `kauke domains` prints.",
  ],
  ["ok", "certificate", "mail.kauke.example 25", "It covers mail.kauke.example and is valid until 2026-12-28."],
].map(([state, check, subject, says]) => ({ state, check, subject, says }) as HealthCheckWire);

const hosts: readonly QueueOfHostWire[] = [
  {
    host: "inbox.example",
    open: 41,
    running: 2,
    oldestAt: at,
    nextAt: "2125-09-28T10:00:00.000Z",
    failure: "The host is over its limit and asks to try later: 452 4.2.2 mailbox is full.",
  },
  {
    host: "mail.a-department-with-a-long-name.university.example",
    open: 4,
    running: 0,
    oldestAt: at,
    nextAt: "2125-09-28T10:00:00.000Z",
    failure: "No connection could be made to any of its mail hosts.",
  },
  { host: "hooks.example", open: 1, running: 0, oldestAt: at, nextAt: at, failure: null },
];

const dkim = `v=DKIM1; k=rsa; p=${"MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A".repeat(11)}IDAQAB`;
const domains = ["kauke.example", "second.example"].map((domain) => ({
  domain,
  records: [
    { name: domain, type: "MX", value: "10 mail.kauke.example." },
    { name: domain, type: "TXT", value: "v=spf1 mx -all" },
    { name: `_dmarc.${domain}`, type: "TXT", value: "v=DMARC1; p=reject" },
    { name: `kauke1._domainkey.${domain}`, type: "TXT", value: dkim },
    { name: `mta-sts.${domain}`, type: "CNAME", value: "kauke.example." },
  ],
}));

const accounts: readonly AccountOfServerWire[] = [
  { signIn: "email", aliases: 1204, lastSeenAt: at, isAdmin: true, email: "jonas@example.org" },
  { signIn: "wallet", aliases: 0, lastSeenAt: null, isAdmin: false, email: null },
  {
    signIn: "google",
    aliases: 1,
    lastSeenAt: at,
    isAdmin: false,
    email: "rasa.with.a.long.name.for.a.narrow.window@mail.department.example.org",
  },
].map((account, place) => ({ ...account, id: idOf(place), createdAt: "2025-02-12T10:00:00.000Z" }));

const invites: readonly OpenInviteWire[] = [
  { id: idOf(5), createdAt: at, expiresAt: "2126-09-28T10:00:00.000Z", isBound: false, address: null },
  { id: idOf(6), createdAt: at, expiresAt: "2126-09-28T10:00:00.000Z", isBound: true, address: "friend@example.org" },
];

const link = `https://kauke.example/register#invite=${"abcdefghijklmnop".repeat(2)}`;

const acts: readonly OperatorActWire[] = [
  { at, by: "command", act: "invite_created", on: null },
  { at, by: idOf(0), act: "queue_dropped", on: "inbox.example" },
  { at, by: idOf(1), act: "account_deleted", on: idOf(7) },
];

const probe: MailProbeWire = {
  id: idOf(9),
  address: "probe-k7f3-tq2m-x5ba@kauke.example",
  startedAt: at,
  expiresAt: "2126-09-29T10:00:00.000Z",
  arrived: null,
  answer: null,
  answerProblem: null,
  returned: false,
  ours: null,
  inSpam: null,
};
const arrived: MailProbeWire = {
  ...probe,
  arrived: {
    seconds: 12.4,
    tlsVersion: "TLSv1.3",
    cipher: "TLS_AES_256_GCM_SHA384",
    certificate: "self_signed",
    theirs: { spf: "pass", dkim: "fail", dmarc: "none" },
  },
  answer: "taken",
};
const judged: MailProbeWire = {
  ...arrived,
  returned: true,
  ours: { spf: "pass", dkim: "fail", dmarc: "unknown" },
  inSpam: true,
};

const whole: MailProbeWire = {
  ...arrived,
  arrived: {
    seconds: 12.4,
    tlsVersion: "TLSv1.3",
    cipher: "TLS_AES_256_GCM_SHA384",
    certificate: "valid",
    theirs: { spf: "pass", dkim: "pass", dmarc: "pass" },
  },
  returned: true,
  ours: { spf: "pass", dkim: "pass", dmarc: "pass" },
  inSpam: false,
};
const refused: MailProbeWire = {
  ...arrived,
  arrived: {
    seconds: 400,
    tlsVersion: null,
    cipher: null,
    certificate: "wrong_name",
    theirs: { spf: "fail", dkim: "fail", dmarc: "fail" },
  },
  answer: "refused",
  answerProblem: "The mailbox did not get it: the destination's host refuses mail from this server (5.7.1).",
};

/** As many hosts as a long queue has, with names and failures as long as they get. */
const manyHosts: readonly QueueOfHostWire[] = Array.from({ length: 30 }, (_, place) => ({
  host: `${place}.${"a-department-with-a-long-name.".repeat(1 + (place % 3))}university.example`,
  open: 30_000 - 997 * place,
  running: place % 4,
  oldestAt: at,
  nextAt: "2125-09-28T10:00:00.000Z",
  failure:
    place % 5 === 4
      ? null
      : `The host refuses mail for now: 451 4.7.1 ${"see-https://postmaster.university.example/why?".repeat(1 + (place % 3))}`,
}));

const shown = (items: readonly object[], name: string, route: Route) =>
  route.request().url().includes("addresses=true") ? items : items.map((item) => ({ ...item, [name]: undefined }));

const responses: Readonly<Record<string, (route: Route) => unknown>> = {
  state: () => state,
  health: () => ({ checkedAt: at, checks }),
  queue: () => ({ hosts, isPartial: true }),
  domains: () => ({ domains, ownDomains: { new: 3, proven: 41, failing: 2, suspended: 1, closed: 0 } }),
  accounts: (route) => ({ accounts: shown(accounts, "email", route), isMore: true }),
  invitations: (route) =>
    route.request().method() === "POST"
      ? { id: idOf(8), link, expiresAt: "2126-09-28T10:00:00.000Z", registration: "open" }
      : { invites: shown(invites, "address", route) },
  acts: () => ({ acts }),
  probes: () => probe,
};

/** Makes the signed-in person an admin, and plays the server for the admin page. */
async function playServer({ context }: Visit, changed: typeof responses = {}): Promise<void> {
  await context.route("**/api/auth/session", async (route) => {
    const response = await route.fetch();
    const { user } = (await response.json()) as { user: UserWire };
    await route.fulfill({ response, json: { user: { ...user, isAdmin: true } } });
  });
  await context.route("**/api/admin/**", async (route) => {
    const [, part = ""] = /\/api\/admin\/(\w+)/.exec(route.request().url()) ?? [];
    await route.fulfill({ json: { ...responses, ...changed }[part]?.(route) });
  });
}

async function goToAdmin(visit: Visit, changed?: typeof responses): Promise<void> {
  const { page } = visit;
  await playServer(visit, changed);
  await page.goto("/dashboard");
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "ADMIN" }).click();
  await page.getByRole("heading", { name: "Admin", level: 1 }).waitFor();
}

const choose = (page: Page, section: string) =>
  page.getByRole("navigation", { name: "Admin" }).getByRole("link", { name: section }).click();

const section = (
  name: string,
  title: string,
  see: (page: Page) => Promise<void>,
  changed?: typeof responses,
): Screen => ({
  name: `admin-${name}`,
  as: "some",
  async open(visit) {
    await goToAdmin(visit, changed);
    await choose(visit.page, title);
    await see(visit.page);
  },
});

const proofOf = (name: string, wanted: MailProbeWire, seen: string): Screen =>
  section(
    name,
    "Proof of mail",
    async (page) => {
      await page.getByRole("button", { name: "Start Proof" }).click();
      await page.getByText(seen).waitFor();
    },
    { probes: () => wanted },
  );

const dialog = (base: Screen, name: string, opener: string | RegExp): Screen =>
  overlaid({
    ...base,
    name: `admin-${name}`,
    async open(visit) {
      await base.open(visit);
      await visit.page.getByRole("button", { name: opener }).first().click();
      await visit.page.getByRole("dialog").waitFor();
    },
  });

const queue = section("queue", "Queue", (page) => page.getByText("452 4.2.2").waitFor());
const accountList = section("accounts", "Accounts", async (page) => {
  await page.getByRole("switch", { name: "Show addresses" }).click();
  await page.getByText("jonas@example.org").waitFor();
});
const invitations = section("invitations", "Invitations", async (page) => {
  await page.getByRole("switch", { name: "Show addresses" }).click();
  await page.getByText("friend@example.org").waitFor();
});

export const adminScreens: readonly Screen[] = [
  {
    name: "admin",
    as: "some",
    async open(visit) {
      await goToAdmin(visit);
      await visit.page.getByText("2 things to fix").waitFor();
      await visit.page.getByText("46 waiting").waitFor();
    },
  },
  section("overview", "Overview", (page) => page.getByText("46 waiting").waitFor()),
  onlyLong(
    section(
      "well",
      "Overview",
      async (page) => {
        await page.getByText("Everything works").waitFor();
        await page.getByText("4 checks passed", { exact: true }).click();
      },
      {
        health: () => ({ checkedAt: at, checks: checks.filter(({ state }) => state === "ok") }),
        state: () => ({
          ...state,
          registration: "invite",
          isOpenToStrangers: false,
          lastBackupAt: at,
          queue: { ...state.queue, open: 0, oldestAt: null },
        }),
      },
    ),
  ),
  section("proof", "Proof of mail", (page) => page.getByText("Does mail work?").waitFor()),
  proofOf("proof-waiting", probe, "Waiting for your message"),
  proofOf("proof-arrived", arrived, "It arrived after 12 seconds"),
  onlyLong(proofOf("proof-judged", judged, "It lay in the spam folder")),
  onlyLong(proofOf("proof-refused", refused, "Their host refused our reply")),
  onlyLong(proofOf("proof-whole", whole, "Mail works both ways")),
  queue,
  dialog(queue, "queue-drop", "Drop inbox.example"),
  onlyLong(
    section("queue-empty", "Queue", (page) => page.getByText("Nothing waits").waitFor(), {
      queue: () => ({ hosts: [], isPartial: false }),
    }),
  ),
  onlyLong(
    section("queue-long", "Queue", (page) => page.getByText("29.a-department", { exact: false }).waitFor(), {
      queue: () => ({ hosts: manyHosts, isPartial: false }),
    }),
  ),
  section("domains", "Domains", (page) => page.getByText("_dmarc.second.example").waitFor()),
  section("certificates", "Certificates", (page) => page.getByText("mta-sts.kauke.example").first().waitFor()),
  accountList,
  dialog(accountList, "account-delete", /^Delete account/),
  onlyLong(dialog(accountList, "account-sign-out", /^Sign out everywhere/)),
  invitations,
  dialog(invitations, "invitation-create", "Create Invitation"),
  onlyLong(
    overlaid({
      name: "admin-invitation-link",
      as: "some",
      async open(visit) {
        await invitations.open(visit);
        await visit.page.getByRole("button", { name: "Create Invitation" }).click();
        await visit.page.getByRole("dialog").getByRole("button", { name: "Create Invitation" }).click();
        await visit.page.getByRole("img", { name: /QR code/ }).waitFor();
      },
    }),
  ),
  section("limits", "Limits", (page) => page.getByText("aliases of an account").waitFor()),
  section("acts", "Acts", (page) => page.getByText("Deliveries dropped").waitFor()),
  onlyLong({
    name: "admin-failed",
    as: "some",
    async open(visit) {
      visit.expectRefusal(500, /^\/api\/admin\//);
      await playServer(visit);
      await visit.context.route("**/api/admin/**", (route) =>
        route.fulfill({ status: 500, json: { message: "Unexpected error" } }),
      );
      await visit.page.goto("/dashboard");
      await visit.page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "ADMIN" }).click();
      await visit.page.getByText("The state could not be loaded").waitFor();
      await seeGone(visit.page.getByText("Checking…"));
    },
  }),
];
