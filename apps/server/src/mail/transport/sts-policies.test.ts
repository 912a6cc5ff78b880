import { createFakeDns, type FakeDnsZone } from "@kauke/testkit/fakes/fake-dns";
import { type FakeStsHost, startFakeStsHost, stsFile } from "@kauke/testkit/fakes/fake-sts-host";
import { startTarpit } from "@kauke/testkit/fakes/tarpit";
import { testCertificate } from "@kauke/testkit/test-certificate";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { parseAllowList } from "./address-guard.ts";
import { ongoingAttempt } from "./outgoing-mail.testing.ts";
import { createStsPolicies, type StsOptions } from "./sts-policies.ts";

const domain = "example.test";
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
let host: FakeStsHost;
let zone: FakeDnsZone;
let time = 0;

beforeAll(async () => {
  host = await startFakeStsHost();
});
afterAll(() => host.close());
beforeEach(() => {
  time = 0;
  host.requests.length = 0;
  host.answer = { file: stsFile("enforce", ["mx.example.test", "*.pool.example.test"]) };
  zone = { "mta-sts.example.test": { a: ["127.0.0.1"] }, "mta-sts.other.test": { a: ["127.0.0.1"] } };
  announce("1");
});

function announce(...ids: string[]): void {
  zone["_mta-sts.example.test"] = { txt: ids.map((id) => `v=STSv1; id=${id};`) };
}

function policies(changes: Partial<StsOptions> = {}) {
  const resolver = createFakeDns(zone);
  const allow = parseAllowList(["127.0.0.1"]);
  const known = createStsPolicies({
    resolver,
    allow,
    port: host.port,
    ca: testCertificate,
    now: () => time,
    ...changes,
  });
  return {
    ...known,
    async find(name: string) {
      const policy = await known.find(name, ongoingAttempt());
      if (policy === "busy") throw new Error("too many fetches");
      return policy;
    },
  };
}

test("a policy lists hosts by name, where a wildcard stands for one label", async () => {
  const policy = await policies().find(domain);
  expect(policy?.mode).toBe("enforce");
  const names = ["mx.example.test", "a.pool.example.test", "a.b.pool.example.test", "pool.example.test", "evil.test"];
  expect(names.map((it) => policy?.lists(it))).toEqual([true, true, false, false, false]);
  expect(host.requests).toEqual(["mta-sts.example.test /.well-known/mta-sts.txt"]);
});

test("no policy is fetched from a domain that does not announce one", async () => {
  zone["_mta-sts.example.test"] = { txt: ["v=spf1 -all"] };
  expect(await policies().find(domain)).toBeNull();
  expect(host.requests).toEqual([]);
});

test("two announcements count as none (RFC 8461 §3.1)", async () => {
  announce("1", "2");
  expect(await policies().find(domain)).toBeNull();
});

test("a policy is fetched once for concurrent requests, and again when its id changes", async () => {
  const { find } = policies();
  await Promise.all([find(domain), find(domain), find(domain)]);
  await find(domain);
  expect(host.requests).toHaveLength(1);
  announce("2");
  host.answer.file = stsFile("testing", ["mx.example.test"]);
  expect((await find(domain))?.mode).toBe("testing");
  expect(host.requests).toHaveLength(2);
});

test("a policy that can't be renewed, or is no longer announced, is used until it expires", async () => {
  const { find } = policies();
  host.answer.file = stsFile("enforce", ["mx.example.test"], (10 * DAY_MS) / 1000);
  await find(domain);
  host.answer.status = 500;
  announce("2");
  expect((await find(domain))?.mode).toBe("enforce");
  for (const gone of [{ txt: [] }, { fails: true }]) {
    zone["_mta-sts.example.test"] = gone;
    expect((await find(domain))?.mode).toBe("enforce");
  }
  time = 10 * DAY_MS;
  expect(await find(domain)).toBeNull();
});

test("a policy is fetched again after a day even if its id is the same", async () => {
  const { find } = policies();
  host.answer.file = stsFile("enforce", ["mx.example.test"], (10 * DAY_MS) / 1000);
  await find(domain);
  time = DAY_MS - 1;
  await find(domain);
  expect(host.requests).toHaveLength(1);
  time = DAY_MS;
  await find(domain);
  expect(host.requests).toHaveLength(2);
});

test("after a failed fetch the host is not asked for five minutes", async () => {
  const { find } = policies();
  host.answer.status = 503;
  await find(domain);
  time = 5 * MINUTE_MS - 1;
  expect(await find(domain)).toBeNull();
  expect(host.requests).toHaveLength(1);
  host.answer.status = 200;
  time = 5 * MINUTE_MS;
  expect((await find(domain))?.mode).toBe("enforce");
});

test("mode none withdraws the earlier policy", async () => {
  const { find } = policies();
  await find(domain);
  announce("2");
  host.answer.file = stsFile("none", []);
  expect(await find(domain)).toBeNull();
});

test.each<[string, Partial<FakeStsHost["answer"]>]>([
  ["a redirect", { status: 301, location: "https://mta-sts.example.test/elsewhere" }],
  ["another 2xx", { status: 203 }],
  ["a page instead of a text", { type: "text/html" }],
  ["a file of another version", { file: stsFile("enforce", ["mx.example.test"]).replace("STSv1", "STSv2") }],
  ["a file without hosts", { file: stsFile("enforce", []) }],
  ["a mode nobody knows", { file: stsFile("strict", ["mx.example.test"]) }],
  ["a file of more than 64 KiB", { file: stsFile("enforce", ["mx.example.test"]) + "x: y\r\n".repeat(11_000) }],
])("%s is no policy", async (_, answer) => {
  Object.assign(host.answer, answer);
  expect(await policies().find(domain)).toBeNull();
  expect(host.requests).toHaveLength(1);
});

test("fetching from a host that never answers ends at a deadline", async () => {
  host.answer.hangs = true;
  // A deadline that lets a loaded machine connect and send the request.
  expect(await policies({ deadlineMs: 1500 }).find(domain)).toBeNull();
  expect(host.requests).toHaveLength(1);
});

test("a policy served with an untrusted or mismatched certificate is ignored", async () => {
  expect(await policies({ ca: undefined }).find(domain)).toBeNull();
  zone["_mta-sts.other.test"] = { txt: ["v=STSv1; id=1"] };
  expect(await policies().find("other.test")).toBeNull();
  expect(host.requests).toEqual([]);
});

test("no request is made to a policy host with an internal address", async () => {
  expect(await policies({ allow: parseAllowList([]) }).find(domain)).toBeNull();
  expect(host.requests).toEqual([]);
});

test("an account with many slow policy hosts gets a share of the fetches, and another account's is made meanwhile", async () => {
  await using slow = await startTarpit({ kind: "silent", host: "127.0.0.2", port: host.port });
  const names = Array.from({ length: 40 }, (_, index) => `slow${index}.test`);
  for (const name of names) {
    zone[`mta-sts.${name}`] = { a: ["127.0.0.2"] };
    zone[`_mta-sts.${name}`] = { txt: ["v=STSv1; id=1;"] };
  }
  const rules = { resolver: createFakeDns(zone), allow: parseAllowList(["127.0.0.0/8"]), port: host.port };
  const { find } = createStsPolicies({ ...rules, ca: testCertificate, now: () => time, deadlineMs: 2000 });
  const stop = new AbortController();
  const busy = ongoingAttempt({ party: "busy", signal: stop.signal });
  const asked = names.map((name) => find(name, busy));
  const policy = await find(domain, ongoingAttempt({ party: "other" }));
  expect(policy).toMatchObject({ mode: "enforce" });
  expect(slow.connections).toBe(4);
  stop.abort();
  const answers = await Promise.all(asked);
  // Four fetches were made and failed; whether the other domains have a policy is not known.
  expect(answers.filter((it) => it === null)).toHaveLength(4);
  expect(answers.filter((it) => it === "busy")).toHaveLength(36);
});

test("a domain whose fetch waits behind an account's slow ones is fetched at once for another account", async () => {
  await using slow = await startTarpit({ kind: "silent", host: "127.0.4.2", port: host.port });
  const names = Array.from({ length: 8 }, (_, index) => `slow${index}.test`);
  for (const name of names) {
    zone[`_mta-sts.${name}`] = { txt: ["v=STSv1; id=1;"] };
    zone[`mta-sts.${name}`] = { a: ["127.0.4.2"] };
  }
  const rules = { resolver: createFakeDns(zone), allow: parseAllowList(["127.0.0.0/8"]), port: host.port };
  const { find } = createStsPolicies({ ...rules, ca: testCertificate, now: () => time, deadlineMs: 60_000 });
  const stop = new AbortController();
  const busy = ongoingAttempt({ party: "busy", signal: stop.signal });
  const asked = [...names, domain].map((name) => find(name, busy));
  while (slow.connections < 4) await new Promise((done) => setTimeout(done, 5));
  expect(await find(domain, ongoingAttempt({ party: "other" }))).toMatchObject({ mode: "enforce" });
  stop.abort();
  for (const socket of slow.open) socket.destroy();
  await Promise.all(asked);
  expect(host.requests).toHaveLength(1);
});

test("an announcement that can't be read counts as none: a known policy is kept", async () => {
  const all = policies();
  expect((await all.find(domain))?.mode).toBe("enforce");
  zone["_mta-sts.example.test"] = { txt: [`v=STSv1; id=a${" ".repeat(1000)}b`] };
  expect((await all.find(domain))?.mode).toBe("enforce");
  expect(await policies().find(domain)).toBeNull();
});

test("a policy file with too many lines is ignored", async () => {
  const names = (count: number) => Array.from({ length: count }, (_, at) => `mx${at}.example.test`);
  host.answer = { file: stsFile("enforce", names(250)) };
  expect((await policies().find(domain))?.lists("mx249.example.test")).toBe(true);
  host.answer = { file: stsFile("enforce", names(257)) };
  expect(await policies().find(domain)).toBeNull();
});

test("parsing policy files full of white space or hosts is cheap", async () => {
  const costOf = async (file: string) => {
    host.answer = { file };
    const all = policies();
    const began = process.threadCpuUsage();
    await all.find(domain);
    const { user, system } = process.threadCpuUsage(began);
    return (user + system) / 1000;
  };
  const start = "version: STSv1\nmode: enforce\nmax_age: 86400\n";
  await costOf(`${start}mx: a.example\n`);
  expect(await costOf(`${start}mx: a${" ".repeat(65_000)}b\n`)).toBeLessThan(100);
  expect(await costOf(start + Array.from({ length: 7000 }, (_, at) => `mx:a${at}\n`).join(""))).toBeLessThan(100);
});
