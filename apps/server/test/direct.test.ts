/** Direct delivery by the whole system: mail hosts behind a DNS table, each of which fails in a different way. */
import { createFakeDns } from "@kauke/testkit/fakes/fake-dns";
import { FakeMx, type FakeMxOptions } from "@kauke/testkit/fakes/fake-mx";
import { type FakeStsHost, startFakeStsHost, stsFile } from "@kauke/testkit/fakes/fake-sts-host";
import { type Person, registerPerson } from "@kauke/testkit/person";
import { sendMail } from "@kauke/testkit/send-mail";
import { startSystem, type TestSystem } from "@kauke/testkit/system";
import { testCertificate, testKey } from "@kauke/testkit/test-certificate";
import { afterAll, beforeAll, expect, test, vi } from "vitest";

const tls = { key: testKey, cert: testCertificate };
const dns = createFakeDns();
const header = "From: Ann <ann@example.org>\r\nSubject: hi\r\nMessage-ID: <1@example.org>\r\n\r\n";
const longBody = `${"0123456789abcdef".repeat(4)}\r\n`.repeat(4000);
/**
 * Body of a message that is larger than the kernel's buffers, so that the final dot is not sent yet when the host dies.
 */
const hugeBody = longBody.repeat(32);
const open: (() => Promise<unknown>)[] = [];
const LATE_MS = 30_000;
let system: TestSystem;
let policyHost: FakeStsHost;
/** All hosts listen on this port, each at an address of its own: the delivery worker connects to one port only. */
let port = 0;
let hostsMade = 0;
let late: Promise<{ mx: FakeMx; last: string; waiting: () => Promise<number>; tookMs: number }>;

beforeAll(async () => {
  policyHost = await startFakeStsHost();
  const first = await FakeMx.start({ host: "127.0.0.1" });
  port = first.port;
  open.push(
    () => policyHost.close(),
    () => first.close(),
  );
  system = await startSystem({
    env: {
      KAUKE_DELIVERY: "direct",
      KAUKE_WEBHOOK_ALLOW: "127.0.0.0/8,::1",
      KAUKE_RETRY_SCHEDULE: "1s,1s,1s,1s,1s,1s",
      KAUKE_LIMITS: "off",
    },
    overrides: { resolver: dns, direct: { port, stsPort: policyHost.port, extraCa: testCertificate } },
  });
  open.push(() => system.close());
  // The message to a host that answers late takes thirty real seconds, which pass while the other tests run.
  late = startLate();
});

afterAll(async () => {
  for (const close of open.reverse()) await close();
});

async function startLate() {
  const [mx] = await domain("late.example", [
    { answer: ({ stage }) => (stage === "body" ? { reply: "250 2.0.0 taken", delayMs: LATE_MS } : undefined) },
  ]);
  const startedAt = performance.now();
  const { last, waiting } = await forward("late.example");
  return { mx: mx as FakeMx, last, waiting, tookMs: performance.now() - startedAt };
}

/**
 * Adds mail hosts for the domain `name`, one for each of `options`, in order of preference; `null`: the address exists,
 * but nothing listens.
 */
async function domain(name: string, options: readonly (FakeMxOptions | null)[]): Promise<(FakeMx | null)[]> {
  const hosts = options.map((_, index) => ({ name: `mx${index}.${name}`, address: `127.0.0.${++hostsMade + 1}` }));
  dns.zone[name] = { mx: hosts.map((it, index) => [10 * (index + 1), it.name] as const) };
  for (const it of hosts) dns.zone[it.name] = { a: [it.address] };
  return Promise.all(hosts.map(({ address }, index) => listen(options[index] ?? null, address)));
}

async function listen(options: FakeMxOptions | null, host: string): Promise<FakeMx | null> {
  if (options === null) return null;
  const mx = await FakeMx.start({ ...options, host, port });
  open.push(() => mx.close());
  return mx;
}

/** Adds a domain with one mail host. */
async function oneHost(name: string, options: FakeMxOptions = {}): Promise<FakeMx> {
  const [mx] = await domain(name, [options]);
  return mx as FakeMx;
}

async function twoHosts(name: string, first: FakeMxOptions | null, second: FakeMxOptions = {}) {
  const [one, two] = await domain(name, [first, second]);
  return { one: one as FakeMx, two: two as FakeMx };
}

/** Sends mail from outside to a new account's alias that forwards to a mailbox at `name`. */
async function forward(name: string, body = ".dotted\r\nbody\r\n", owner?: Person) {
  const person = owner ?? (await registerPerson(system.url));
  const alias = await person.createAlias({ forwardTo: `jonas@${name}` });
  const waiting = () => system.server.store.deliveries.countForAlias(alias.id);
  const { last } = await sendMail({ port: system.mxPort, to: `${alias.alias}@kauke.test`, message: header + body });
  return { last, waiting, person };
}

const bodyOf = (mx: FakeMx) =>
  mx.messages.map((it) => String(it.bytes).slice(String(it.bytes).indexOf("\r\n\r\n") + 4));

test("the preferred host gets the mail; no other host is contacted", async () => {
  const { one, two } = await twoHosts("preference.example", {});
  expect((await forward("preference.example")).last).toMatch(/^250 /);
  expect(bodyOf(one)).toEqual([".dotted\r\nbody\r\n"]);
  expect(two.connections).toBe(0);
});

test("if the preferred host is down, the next one gets the mail within the same transaction", async () => {
  const { two } = await twoHosts("fallback.example", null);
  const { last, waiting } = await forward("fallback.example");
  expect(last).toMatch(/^250 /);
  expect(await waiting()).toBe(0);
  expect(two.messages).toHaveLength(1);
});

test("a host with IPv6 only is reached", async () => {
  dns.zone["six.example"] = { mx: [[1, "mx.six.example"]] };
  dns.zone["mx.six.example"] = { aaaa: ["::1"] };
  const mx = (await listen({}, "::1")) as FakeMx;
  expect((await forward("six.example")).last).toMatch(/^250 /);
  expect(mx.messages).toHaveLength(1);
});

test("mail to a domain that accepts none (null MX) is rejected at once, without a connection to its address", async () => {
  const mx = await oneHost("null.example");
  dns.zone["null.example"] = { mx: [[0, ""]], a: ["127.0.0.2"] };
  const { last, waiting } = await forward("null.example");
  expect(last).toBe("550 5.7.1 Mail is refused where this alias leads");
  expect(await waiting()).toBe(0);
  expect(mx.connections).toBe(0);
});

test("a greylisting destination gets the mail at the second attempt, once", async () => {
  let asked = 0;
  const mx = await oneHost("grey.example", {
    answer: ({ stage }) => (stage === "rcpt" && asked++ === 0 ? "450 4.7.1 greylisted" : undefined),
  });
  const { last, waiting } = await forward("grey.example");
  expect(last).toMatch(/^250 /);
  expect(await waiting()).toBe(1);
  expect(mx.messages).toHaveLength(0);
  await vi.waitFor(async () => expect(await waiting()).toBe(0), { timeout: 10_000 });
  expect(bodyOf(mx)).toEqual([".dotted\r\nbody\r\n"]);
});

test("a destination that dies in the middle of the data gets the whole mail later, once", async () => {
  const mx = await oneHost("dying.example", { dropAfterBodyBytes: 100_000 });
  const { last, waiting } = await forward("dying.example", longBody);
  expect(last).toMatch(/^250 /);
  expect(await waiting()).toBe(1);
  expect(mx.messages).toHaveLength(0);
  mx.options = {};
  await vi.waitFor(async () => expect(await waiting()).toBe(0), { timeout: 10_000 });
  expect(bodyOf(mx)).toEqual([longBody]);
});

test("a host that dies in the middle of the data can't have the mail, so the next host is tried at once", async () => {
  const { two } = await twoHosts("half.example", { dropAfterBodyBytes: 100_000 });
  const { last, waiting } = await forward("half.example", hugeBody);
  expect(last).toMatch(/^250 /);
  expect(await waiting()).toBe(0);
  expect(bodyOf(two).map((it) => it === hugeBody)).toEqual([true]);
});

test("a host that breaks the connection before its 250 may have the mail: no other host gets it, and it is tried again later", async () => {
  let bodies = 0;
  const { one, two } = await twoHosts("unsure.example", {
    answer: ({ stage }) => (stage === "body" && bodies++ === 0 ? { drop: true } : undefined),
  });
  const { last, waiting } = await forward("unsure.example");
  expect(last).toMatch(/^250 /);
  expect(await waiting()).toBe(1);
  await vi.waitFor(async () => expect(await waiting()).toBe(0), { timeout: 10_000 });
  expect([bodies, one.messages.length, two.connections]).toEqual([2, 1, 0]);
});

test("where no TLS policy applies, a self-signed certificate of any name is accepted, since it is better than none", async () => {
  const mx = await oneHost("selfsigned.example", { tls });
  expect((await forward("selfsigned.example")).last).toMatch(/^250 /);
  expect(mx.messages[0]?.isSecure).toBe(true);
});

test("where no TLS policy applies, mail is sent in clear after a failed handshake", async () => {
  const mx = await oneHost("broken.example", {
    tls,
    answer: ({ stage, connection }) =>
      stage === "starttls" && connection === 1 ? { reply: "220 2.0.0 go ahead", drop: true } : undefined,
  });
  expect((await forward("broken.example")).last).toMatch(/^250 /);
  expect(mx.messages.map((it) => it.isSecure)).toEqual([false]);
  expect(mx.connections).toBe(2);
});

test("MTA-STS enforced: with a bad certificate mail waits and is never sent in clear; it is sent once the certificate is valid", async () => {
  const name = "example.test";
  const mx = await oneHost(name, { tls });
  // The domain's MX record names a host that the certificate does not contain.
  dns.zone["mx.elsewhere.test"] = dns.zone[`mx0.${name}`] ?? {};
  dns.zone[name] = { mx: [[1, "mx.elsewhere.test"]] };
  dns.zone[`mta-sts.${name}`] = { a: ["127.0.0.1"] };
  dns.zone[`_mta-sts.${name}`] = { txt: ["v=STSv1; id=1"] };
  policyHost.answer.file = stsFile("enforce", ["mx.elsewhere.test"]);
  const { last, waiting } = await forward(name);
  expect(last).toMatch(/^250 /);
  await vi.waitFor(() => expect(mx.connections).toBeGreaterThanOrEqual(2), { timeout: 10_000 });
  expect(await waiting()).toBe(1);
  expect(mx.commands.filter((it) => /^(MAIL|RCPT|DATA)/.test(it))).toEqual([]);
  dns.zone[name] = { mx: [[1, `mx0.${name}`]] };
  dns.zone[`_mta-sts.${name}`] = { txt: ["v=STSv1; id=2"] };
  policyHost.answer.file = stsFile("enforce", [`*.${name}`]);
  await vi.waitFor(async () => expect(await waiting()).toBe(0), { timeout: 10_000 });
  expect(mx.messages.map((it) => it.isSecure)).toEqual([true]);
  expect(policyHost.requests).toHaveLength(2);
});

test("a host that never answers occupies its share of the delivery worker, not all of it, and mail waiting for it does not fail", async () => {
  let mood: "later" | "hangs" | "takes" = "later";
  let hung = 0;
  const answer: FakeMxOptions["answer"] = ({ stage }) => {
    if (stage !== "rcpt" || mood === "takes") return undefined;
    if (mood === "later") return "450 4.2.0 later";
    hung++;
    return { reply: "450 4.3.2 too late", delayMs: 20_000 };
  };
  const slow = await oneHost("slow.example", { answer });
  const people = await Promise.all(Array.from({ length: 7 }, () => registerPerson(system.url)));
  const aliases = await Promise.all(
    people.flatMap((it) => Array.from({ length: 7 }, () => it.createAlias({ forwardTo: "jonas@slow.example" }))),
  );
  const to = aliases.map((it) => `${it.alias}@kauke.test`);
  expect((await sendMail({ port: system.mxPort, to, message: `${header}body\r\n` })).last).toMatch(/^250 /);
  mood = "hangs";
  // The share of one destination, and one attempt of each of the other accounts.
  await vi.waitFor(() => expect(hung).toBeGreaterThanOrEqual(8), { timeout: 10_000 });
  let asked = 0;
  const quick = await oneHost("quick.example", {
    answer: ({ stage }) => (stage === "rcpt" && asked++ === 0 ? "450 4.7.1 greylisted" : undefined),
  });
  await forward("quick.example");
  await quick.waitForMessages(1);
  expect(hung).toBeLessThanOrEqual(20);
  expect(slow.messages).toHaveLength(0);
  mood = "takes";
  slow.dropConnections();
  await slow.waitForMessages(to.length);
  expect(slow.messages).toHaveLength(49);
}, 30_000);

test("a destination that answers after 30 s: the sender gets its reply earlier, and the mail arrives once", async () => {
  const { mx, last, waiting, tookMs } = await late;
  expect(last).toMatch(/^250 /);
  expect(tookMs).toBeLessThan(LATE_MS);
  await vi.waitFor(async () => expect(await waiting()).toBe(0), { timeout: LATE_MS });
  expect(mx.messages).toHaveLength(1);
  expect(mx.connections).toBe(1);
}, 60_000);

test("a provider that replies 421 gets no mail of the account for a while, over all its domains; then all mail arrives", async () => {
  let isBusy = true;
  const answer: FakeMxOptions["answer"] = ({ stage }) =>
    stage === "mail" && isBusy ? "421 4.3.2 too much at once" : undefined;
  const names = ["tenant-a.example", "tenant-b.example"];
  const mx = await oneHost("mx.provider.test", { answer });
  for (const name of names) dns.zone[name] = { mx: [[1, "mx0.mx.provider.test"]] };
  const person = await registerPerson(system.url);
  const forwards = [await forward("tenant-a.example", undefined, person)];
  const askedAt = mx.commands.filter((line) => line.startsWith("MAIL")).length;
  expect(askedAt).toBe(1);
  forwards.push(
    ...(await Promise.all(["tenant-b.example", "tenant-b.example"].map((name) => forward(name, undefined, person)))),
  );
  // The provider got at most one more MAIL command for the two later messages, and all senders got 250.
  expect(mx.commands.filter((line) => line.startsWith("MAIL")).length).toBeLessThanOrEqual(2);
  expect(forwards.every(({ last }) => last.startsWith("250 "))).toBe(true);
  isBusy = false;
  for (const { waiting } of forwards)
    await vi.waitFor(async () => expect(await waiting()).toBe(0), { timeout: 30_000, interval: 100 });
  expect(mx.messages).toHaveLength(3);
}, 60_000);

test("a domain that recovers gets its waiting mail at once, and not at the next step of the schedule", async () => {
  const patient = await startSystem({
    env: {
      KAUKE_DELIVERY: "direct",
      KAUKE_WEBHOOK_ALLOW: "127.0.0.0/8",
      KAUKE_RETRY_SCHEDULE: "6h",
      KAUKE_LIMITS: "off",
    },
    overrides: { resolver: dns, direct: { port } },
  });
  open.push(() => patient.close());
  let isDown = true;
  const mx = await oneHost("recovers.example", {
    answer: ({ stage }) => (stage === "greeting" && isDown ? { drop: true } : undefined),
  });
  const person = await registerPerson(patient.url);
  const alias = await person.createAlias({ forwardTo: "jonas@recovers.example" });
  const mail = { port: patient.mxPort, to: `${alias.alias}@kauke.test`, message: `${header}body\r\n` };
  for (let index = 0; index < 3; index++) expect((await sendMail(mail)).last).toMatch(/^250 /);
  expect(mx.messages).toHaveLength(0);
  expect(await patient.server.store.deliveries.count()).toBe(3);
  isDown = false;
  // The connection pool pauses after a failed connection: the first message sent after the pause makes the waiting ones
  // due.
  await vi.waitFor(
    async () => {
      if ((await patient.server.store.deliveries.count()) > 0 && mx.messages.length === 0) await sendMail(mail);
      expect(await patient.server.store.deliveries.count()).toBe(0);
    },
    { timeout: 40_000, interval: 1000 },
  );
  expect(mx.messages.length).toBeGreaterThanOrEqual(4);
}, 60_000);
