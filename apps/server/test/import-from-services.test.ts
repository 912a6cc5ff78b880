/**
 * Imports from accounts at other services through the whole server: over https, with certificates of the test's own that
 * only the client made here trusts. The services' ports are the test's; their names, paths and forms are real.
 */
import { parseAllowList } from "@kauke/server/mail/transport/address-guard";
import { guardedGet } from "@kauke/server/mail/transport/guarded-get";
import { makeSelfSigned } from "@kauke/server/platform/self-signed";
import { createFakeDns } from "@kauke/testkit/fakes/fake-dns";
import { FakeWebhook, type FakeWebhookOptions } from "@kauke/testkit/fakes/fake-webhook";
import { type Person, registerPerson } from "@kauke/testkit/person";
import { relayTo, startSystem, type TestSystem } from "@kauke/testkit/system";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

const hosts = ["app.addy.io", "addy.people.example", "relay.firefox.com", "api.forwardemail.net"];
const day = (offset: number) => new Date(Date.now() + offset * 86_400_000);
const certificate = (names: readonly string[], lasts: readonly [from: number, to: number] = [-1, 1]) =>
  makeSelfSigned({ commonName: "test", hosts: names, notBefore: day(lasts[0]), notAfter: day(lasts[1]) });
const good = certificate(hosts);
const expired = certificate(hosts, [-2, -1]);
const elsewhere = certificate(["other.example"]);
const untrusted = certificate(hosts);

const apiKey = "key-of-another-service";
const dns = createFakeDns(Object.fromEntries(hosts.map((host) => [host, { a: ["127.0.0.1"] }])));
const client = guardedGet({
  resolver: dns,
  allow: parseAllowList(["127.0.0.1"]),
  ca: [good, expired, elsewhere].map(({ cert }) => cert).join(""),
});

let service: FakeWebhook;
let system: TestSystem;
let person: Person;
beforeAll(async () => {
  service = await FakeWebhook.start({ tls: good });
  system = await startSystem({
    env: relayTo({ port: 9 }),
    overrides: {
      serviceFetch: {
        get: (request) => {
          const url = new URL(request.url);
          url.port = `${service.port}`;
          return client.get({ ...request, url });
        },
      },
    },
  });
});
afterAll(async () => {
  await system.close();
  await service.close();
});
beforeEach(async () => {
  service.reset();
  person = await registerPerson(system.url);
});

interface Answer {
  status?: number;
  headers?: Record<string, string>;
  body?: unknown;
}

/** Answers each request by its path and query; anything else is 404. */
function answers(all: Readonly<Record<string, Answer>>): FakeWebhookOptions["respond"] {
  return ({ path }, response) => {
    const { status = 200, headers = {}, body = [] } = all[decodeURIComponent(path)] ?? { status: 404 };
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
  };
}

const dryRun = (from: string, baseUrl?: string) =>
  person.call("POST", "/api/imports/from-service", {
    service: from,
    apiKey,
    ...(baseUrl === undefined ? {} : { baseUrl }),
  });

interface Planned {
  importId: string;
  rows: number;
  counts: Record<string, number>;
}
interface Row {
  address: string;
  forwardTo: string;
  active: boolean;
  notes: string | null;
  result: string;
}

async function planned(from: string, baseUrl?: string): Promise<Planned> {
  const { status, body } = await dryRun(from, baseUrl);
  expect([status, body]).toEqual([201, body]);
  return body as Planned;
}

async function rowsOf({ importId }: Planned, page = 0): Promise<Row[]> {
  const { body } = await person.call("GET", `/api/imports/${importId}?page=${page}`);
  return (body as { page: { rows: Row[] } }).page.rows;
}

const asked = () => service.requests.map(({ path }) => decodeURIComponent(path));
const addyPath = (page: number) => `/api/v1/aliases?page[number]=${page}&page[size]=100&filter[deleted]=with`;
const addyAlias = (index: number) => ({
  id: `${index}`,
  email: `name${index}@anonaddy.me`,
  local_part: `name${index}`,
  domain: "anonaddy.me",
  active: index !== 1,
  description: index === 2 ? "Bakery" : null,
  recipients: index === 3 ? [{ email: "bo@people.example" }, { email: "cy@people.example" }] : [],
  deleted_at: index === 4 ? "2026-01-01 00:00:00" : null,
});
const addyPage = (from: number, count: number, all: number): Answer => ({
  body: {
    data: Array.from({ length: count }, (_, index) => addyAlias(from + index)),
    links: { first: "x", last: "y" },
    meta: { current_page: from / 100 + 1, per_page: 100, total: all },
  },
});
const addyPages = {
  [addyPath(1)]: addyPage(0, 100, 203),
  [addyPath(2)]: addyPage(100, 100, 203),
  [addyPath(3)]: addyPage(200, 3, 203),
};

describe("addy.io", () => {
  test.each([
    ["the service's own", undefined],
    ["a host of the user's", "https://addy.people.example"],
  ])("every page is read from %s, with recipients, pauses and deletions", async (_, baseUrl) => {
    service.options = { tls: good, respond: answers(addyPages) };
    const dry = await planned("addy", baseUrl);
    expect(dry).toMatchObject({ rows: 203, counts: { twin: 202, deleted: 1 } });
    expect(asked()).toEqual([addyPath(1), addyPath(2), addyPath(3)]);
    expect(service.requests.map(({ headers }) => headers.authorization)).toEqual(Array(3).fill(`Bearer ${apiKey}`));
    expect(service.requests[0]?.headers.host).toContain(baseUrl === undefined ? "app.addy.io" : "addy.people.example");
    const [own, paused, noted, two, deleted] = await rowsOf(dry);
    expect(own).toMatchObject({ address: "name0@anonaddy.me", forwardTo: person.email, active: true });
    expect(paused).toMatchObject({ active: false });
    expect(noted?.notes).toContain("Bakery");
    expect(two).toMatchObject({ forwardTo: "bo@people.example, cy@people.example" });
    expect(deleted).toMatchObject({ result: "deleted" });
    expect((await rowsOf(dry, 2)).map(({ address }) => address)).toContain("name202@anonaddy.me");
  });
});

test("Firefox Relay: both kinds of masks are read, and forward to the account's mailbox", async () => {
  const mask = (address: string, enabled: boolean, more = {}) => ({ full_address: address, enabled, ...more });
  const site = { description: "Shoes", generated_for: "shop.example" };
  service.options = {
    tls: good,
    respond: answers({
      "/api/v1/relayaddresses/": { body: [mask("a1b2@mozmail.com", true, site), mask("c3d4@mozmail.com", false)] },
      "/api/v1/domainaddresses/": { body: [mask("news@ann.mozmail.com", true)] },
    }),
  };
  const dry = await planned("relay");
  expect(dry).toMatchObject({ rows: 3, counts: { twin: 3 } });
  expect(service.requests.map(({ headers }) => headers.authorization)).toEqual(Array(2).fill(`Token ${apiKey}`));
  const rows = await rowsOf(dry);
  expect(rows.map(({ address, active, forwardTo }) => [address, active, forwardTo])).toEqual([
    ["a1b2@mozmail.com", true, person.email],
    ["c3d4@mozmail.com", false, person.email],
    ["news@ann.mozmail.com", true, person.email],
  ]);
  expect(rows[0]?.notes).toContain("Shoes (shop.example)");
});

test("Forward Email: every page of the domains and of each domain's aliases is read, with recipients", async () => {
  const paged = (count: number, body: unknown): Answer => ({ headers: { "x-page-count": `${count}` }, body });
  const domains = (page: number) => `/v1/domains?page=${page}&limit=1000`;
  const aliases = (domain: string, page: number) => `/v1/domains/${domain}/aliases?page=${page}&limit=1000`;
  const alias = (name: string, recipients: string[], isEnabled = true) => ({ name, recipients, is_enabled: isEnabled });
  service.options = {
    tls: good,
    respond: answers({
      [domains(1)]: paged(2, [{ name: "one.example" }]),
      [domains(2)]: paged(2, [{ name: "two.example" }]),
      [aliases("one.example", 1)]: paged(2, [alias("a", ["bo@people.example", "https://hook.example/in"])]),
      [aliases("one.example", 2)]: paged(2, [alias("b", [], false)]),
      [aliases("two.example", 1)]: paged(1, [alias("*", ["bo@people.example"])]),
    }),
  };
  const dry = await planned("forward-email");
  expect(dry).toMatchObject({ rows: 3, counts: { twin: 2, invalid: 1 } });
  const basic = `Basic ${Buffer.from(`${apiKey}:`).toString("base64")}`;
  expect(service.requests.map(({ headers }) => headers.authorization)).toEqual(Array(5).fill(basic));
  expect((await rowsOf(dry)).map(({ address, active, forwardTo }) => [address, active, forwardTo])).toEqual([
    ["a@one.example", true, "bo@people.example, https://hook.example/in"],
    ["b@one.example", false, person.email],
    ["*@two.example", true, expect.any(String)],
  ]);
});

describe("a service that asks to wait", () => {
  const limited = (wait: string): Answer => ({
    status: 429,
    headers: { "retry-after": wait },
    body: { message: "slow" },
  });
  test.each([
    ["addy", addyPath(2), "42", "in 1 minute"],
    ["addy", addyPath(1), "3600", "in 60 minutes"],
    ["relay", "/api/v1/domainaddresses/", "86400", "in 24 hours"],
    ["forward-email", "/v1/domains?page=1&limit=1000", "Fri, 27 Nov 2026 10:00:00 GMT", "later"],
  ])(
    "%s: 429 at %s (Retry-After: %s) says so, stores nothing, and is not asked again",
    async (from, at, wait, when) => {
      service.options = {
        tls: good,
        respond: answers({ ...addyPages, "/api/v1/relayaddresses/": {}, [at]: limited(wait) }),
      };
      const message = `The service asks to wait; please try again ${when}.`;
      expect(await dryRun(from)).toMatchObject({ status: 503, body: { code: "unavailable", message } });
      expect(asked().at(-1)).toBe(at);
      expect(await person.call("GET", "/api/imports")).toMatchObject({ body: { imports: [] } });
    },
  );
});

describe("a certificate that is", () => {
  test.each([
    ["signed by nobody trusted", untrusted],
    ["for another host", elsewhere],
    ["expired", expired],
  ])("%s: the key is not sent, and nothing imported", async (_, tls) => {
    const trusted = service;
    service = await FakeWebhook.start({ tls, respond: answers(addyPages) });
    try {
      const message = "The service could not be reached.";
      for (const baseUrl of [undefined, "https://addy.people.example"])
        expect(await dryRun("addy", baseUrl)).toMatchObject({ status: 503, body: { message } });
      expect(service.requests).toEqual([]);
    } finally {
      await service.close();
      service = trusted;
    }
    // The control: the same import from a host with a good certificate.
    service.options = { tls: good, respond: answers(addyPages) };
    expect((await planned("addy")).rows).toBe(203);
  });
});
