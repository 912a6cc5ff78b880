/**
 * Forgeries of a domain that asks for protection (DMARC), sent by somebody whose own DNS is slow, silent or broken, so
 * that authentication does not finish in time. Over real sockets, with two resolvers. A forgery must never arrive as
 * authenticated.
 */
import { generateKeyPairSync } from "node:crypto";
import { dkimSign, readHeader, simpleBodyHash } from "@kauke/mail-rfc";
import { type FakeDnsZone, startFakeDnsServer } from "@kauke/testkit/fakes/fake-dns";
import { setUpForwarding } from "@kauke/testkit/forwarding-system";
import { sendMail } from "@kauke/testkit/send-mail";
import { afterAll, describe, expect, test, vi } from "vitest";

// Each test waits five seconds until authentication is cut off, so the tests run concurrently.
vi.setConfig({ maxConcurrency: 40 });

const zone: FakeDnsZone = {};
const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 1024 });
const keyRecord = `v=DKIM1; k=rsa; p=${publicKey.export({ format: "der", type: "spki" }).toString("base64")}`;
const body = "Please pay.\r\n";
const bodyHash = simpleBodyHash(Buffer.from(body)).toString("base64");

/** Maximum milliseconds until the server replies to a message, even on a machine under load. */
const ANSWERED_WITHIN_MS = 12_000;

const resolvers = [await startFakeDnsServer(zone), await startFakeDnsServer(zone)];
afterAll(async () => {
  for (const resolver of resolvers) await resolver.close();
});
const { mx, hook, system, person } = await setUpForwarding({
  env: { KAUKE_DNS_SERVERS: resolvers.map(({ address }) => address).join(","), KAUKE_AUTHENTICATION: "on" },
});

interface Mail {
  /** Domain of the From header field. */
  author: string;
  /** Domain of the envelope sender. */
  sender: string;
  header?: string;
  isSigned?: boolean;
}

async function send({ author, sender, header = "", isSigned = false }: Mail, to?: string) {
  const mailbox = `owner@${author.replace(".example", ".inbox.example")}`;
  const { alias } = await person.createAlias({ forwardTo: `${mailbox}, ${hook.url}` });
  const plain = `From: The Bank <ceo@${author}>\r\nSubject: pay\r\n\r\n${body}`;
  const message = header + (isSigned ? await signature(author, plain) : "") + plain;
  const began = performance.now();
  const from = `ceo@${sender}`;
  const { last } = await sendMail({ port: system.mxPort, from, to: to ?? `${alias}@kauke.test`, message });
  const arrived = mx.messages.find(({ rcptTo }) => rcptTo[0] === mailbox)?.bytes.toString();
  const calls = hook.requests.map(
    (it) => JSON.parse(String(it.body)) as { data: { alias: string; authentication: object } },
  );
  const called = calls.find(({ data }) => data.alias === `${alias}@kauke.test`)?.data.authentication;
  return { last, arrived, called, ms: performance.now() - began };
}

async function signature(domain: string, text: string): Promise<string> {
  const header = Buffer.from(text);
  const { fields, end } = readHeader(header);
  const source = {
    header: header.subarray(0, end),
    fields,
    bodyHash: Buffer.from(bodyHash, "base64"),
    signedAt: new Date(),
  };
  return dkimSign(source, [{ domain, selector: "s1", algorithm: "rsa-sha256", privateKey }]);
}

/** A DKIM signature that does not verify; its body hash is right, so that its key is looked up. */
const worthless = (domain: string, selector = "k") =>
  `DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/simple; d=${domain}; s=${selector}; h=from; bh=${bodyHash}; b=AAAA\r\n`;

const arcSet = (domain: string) =>
  [
    `ARC-Seal: i=1; a=rsa-sha256; cv=none; d=${domain}; s=k; b=AAAA\r\n`,
    `ARC-Message-Signature: i=1; a=rsa-sha256; c=relaxed/simple; d=${domain}; s=k; h=from; bh=${bodyHash}; b=AAAA\r\n`,
    `ARC-Authentication-Results: i=1; ${domain}; dmarc=pass\r\n`,
  ].join("");

interface Attack {
  zone: FakeDnsZone;
  header?: string;
}

/** The attacks by name. @param evil the attacker's domain */
const attacks: Record<string, (evil: string) => Attack> = {
  "an SPF record that is never answered": (evil) => ({ zone: { [evil]: { isSilent: true } } }),
  "an SPF record that arrives too late": (evil) => ({ zone: { [evil]: { delayMs: 7000, txt: ["v=spf1 +all"] } } }),
  "two SPF includes of 3 s each": (evil) => ({
    zone: {
      [evil]: { txt: [`v=spf1 include:a.${evil} include:b.${evil} -all`] },
      [`a.${evil}`]: { delayMs: 3000, txt: ["v=spf1 -all"] },
      [`b.${evil}`]: { delayMs: 3000, txt: ["v=spf1 +all"] },
    },
  }),
  "an SPF exists: that is never answered": (evil) => ({
    zone: { [evil]: { txt: [`v=spf1 exists:%{l}.x.${evil} -all`] }, [`ceo.x.${evil}`]: { isSilent: true } },
  }),
  "a DKIM key that never arrives": (evil) => ({
    zone: { [`k._domainkey.${evil}`]: { isSilent: true } },
    header: worthless(evil),
  }),
  "20 signatures, each key a second and more": (evil) => ({
    zone: Object.fromEntries(
      Array.from({ length: 20 }, (_, at) => [
        `k${at}._domainkey.${evil}`,
        { delayMs: 1500 + 500 * at, txt: [keyRecord] },
      ]),
    ),
    header: Array.from({ length: 20 }, (_, at) => worthless(evil, `k${at}`)).join(""),
  }),
  "an ARC key that never arrives": (evil) => ({
    zone: { [`k._domainkey.${evil}`]: { isSilent: true } },
    header: arcSet(evil),
  }),
};

let made = 0;
const nextName = (what: string) => `${what}-${++made}.example`;

function bankThatAsks(policy: string): string {
  const bank = nextName("bank");
  Object.assign(zone, { [bank]: { txt: ["v=spf1 -all"] }, [`_dmarc.${bank}`]: { txt: [`v=DMARC1; ${policy}`] } });
  return bank;
}

const isMarked = (arrived: string | undefined) => /^From: "?Unverified:? /m.test(arrived ?? "");

describe.concurrent("a forgery of a bank with p=reject is deferred, so its sender keeps it, with", () => {
  test.each(Object.entries(attacks))("%s", async (_, attack) => {
    const [evil, author] = [nextName("evil"), bankThatAsks("p=reject")];
    const { zone: theirs, header = "" } = attack(evil);
    Object.assign(zone, theirs);
    const { last, arrived, called, ms } = await send({ author, sender: evil, header });
    expect(last).toMatch(/^451 4\.7\./);
    expect([arrived, called]).toEqual([undefined, undefined]);
    expect(ms).toBeLessThan(ANSWERED_WITHIN_MS);
  });
});

describe.concurrent("a forgery of a bank with p=quarantine arrives marked, with", () => {
  test.each(Object.entries(attacks))("%s", async (_, attack) => {
    const [evil, author] = [nextName("evil"), bankThatAsks("p=quarantine")];
    const { zone: theirs, header = "" } = attack(evil);
    Object.assign(zone, theirs);
    const { last, arrived, called } = await send({ author, sender: evil, header });
    expect(last).toMatch(/^250 /);
    expect(isMarked(arrived)).toBe(true);
    const results = /^Authentication-Results: ([^]*?)\r\n(?![ \t])/m.exec(arrived ?? "")?.[1]?.replace(/\s+/g, " ");
    expect(results).toContain(`dmarc=fail policy.dmarc=quarantine header.from=${author}`);
    expect(called).toMatchObject({ dmarc: "fail" });
  });
});

describe.concurrent("mail of a bank whose policy can't be read is deferred, so its sender keeps it, if its record", () => {
  const silences: [string, FakeDnsZone[string]][] = [
    ["is never answered", { isSilent: true }],
    ["arrives too late", { delayMs: 7000, txt: ["v=DMARC1; p=reject"] }],
    ["fails", { fails: true }],
  ];
  test.each(silences)("%s", async (_, record) => {
    const [evil, author] = [nextName("evil"), nextName("bank")];
    Object.assign(zone, { [`_dmarc.${author}`]: record });
    const { last, arrived } = await send({ author, sender: evil });
    expect(last).toMatch(/^451 4\.7\./);
    expect(arrived).toBeUndefined();
  });

  test.each(silences)("%s, for the organizational domain of a subdomain", async (_, record) => {
    const [evil, author] = [nextName("evil"), nextName("bank")];
    Object.assign(zone, { [`_dmarc.${author}`]: record });
    expect((await send({ author: `news.${author}`, sender: evil })).last).toMatch(/^451 4\.7\./);
  });

  test("fails, for mail to postmaster too", async () => {
    const author = nextName("bank");
    Object.assign(zone, { [`_dmarc.${author}`]: { fails: true } });
    expect((await send({ author, sender: nextName("evil") }, "postmaster@kauke.test")).last).toMatch(/^451 4\.7\./);
  });
});

describe.concurrent("control:", () => {
  test("the same forgery without slow DNS is rejected permanently", async () => {
    const { last } = await send({ author: bankThatAsks("p=reject"), sender: nextName("evil") });
    expect(last).toMatch(/^550 5\.7\.26 /);
  });

  test("a bank's mail passes by a DKIM key from slow DNS, though its SPF query is never answered", async () => {
    const author = nextName("bank");
    Object.assign(zone, {
      [`_dmarc.${author}`]: { txt: ["v=DMARC1; p=reject"] },
      [author]: { isSilent: true },
      [`s1._domainkey.${author}`]: { delayMs: 2000, txt: [keyRecord] },
    });
    const { last, arrived, called } = await send({ author, sender: author, isSigned: true });
    expect(last).toMatch(/^250 /);
    expect(isMarked(arrived)).toBe(false);
    expect(called).toMatchObject({ dkim: "pass", dmarc: "pass", spf: "temperror" });
  });

  test("a bank's mail passes by SPF, though the key of a signature above is never received", async () => {
    const [author, other] = [bankThatAsks("p=reject"), nextName("list")];
    Object.assign(zone, {
      [author]: { txt: ["v=spf1 ip4:127.0.0.1 -all"] },
      [`k._domainkey.${other}`]: { isSilent: true },
    });
    const header = worthless(other);
    const { last, arrived, called, ms } = await send({ author, sender: author, header });
    expect(last).toMatch(/^250 /);
    expect(isMarked(arrived)).toBe(false);
    expect(called).toMatchObject({ spf: "pass", dmarc: "pass" });
    expect(ms).toBeLessThan(ANSWERED_WITHIN_MS);
  });

  test("a bank's mail passes by its own signature among 9 others whose keys are never received", async () => {
    const [author, other] = [bankThatAsks("p=reject"), nextName("list")];
    const keys = Array.from({ length: 9 }, (_, at) => [`k${at}._domainkey.${other}`, { isSilent: true }]);
    Object.assign(zone, Object.fromEntries(keys), { [`s1._domainkey.${author}`]: { txt: [keyRecord] } });
    const header = Array.from({ length: 9 }, (_, at) => worthless(other, `k${at}`)).join("");
    const { last, arrived, called } = await send({ author, sender: nextName("list"), header, isSigned: true });
    expect(last).toMatch(/^250 /);
    expect(isMarked(arrived)).toBe(false);
    expect(called).toMatchObject({ dkim: "pass", dmarc: "pass" });
  });

  test("mail of a domain without a record is forwarded and marked, however slow the rest is", async () => {
    const [author, sender] = [nextName("shop"), nextName("shop")];
    Object.assign(zone, { [sender]: { isSilent: true } });
    const { last, arrived, called } = await send({ author, sender });
    expect(last).toMatch(/^250 /);
    expect(isMarked(arrived)).toBe(true);
    expect(called).toMatchObject({ spf: "temperror", dmarc: "none" });
  });

  test("unsigned mail of a bank whose own SPF query is not answered is deferred", async () => {
    const author = nextName("bank");
    Object.assign(zone, { [`_dmarc.${author}`]: { txt: ["v=DMARC1; p=reject"] }, [author]: { fails: true } });
    expect((await send({ author, sender: author })).last).toMatch(/^451 4\.7\./);
  });
});
