/**
 * SPF, DKIM, DMARC and ARC on arrival, and our own signature on sending, over real sockets and a DNS zone made for the
 * test.
 */
import { generateKeyPairSync, sign } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { arcSign, dkimSign, readHeader, relaxedField, simpleBodyHash } from "@kauke/mail-rfc";
import { dkimRecordOf } from "@kauke/testkit/dkim-record";
import { createFakeDns, type FakeDnsZone } from "@kauke/testkit/fakes/fake-dns";
import { setUpForwarding } from "@kauke/testkit/forwarding-system";
import { isLongRun } from "@kauke/testkit/long-rounds";
import { byMailauth, opendkim, pythonDkim } from "@kauke/testkit/programs/verify-dkim";
import { sendMail } from "@kauke/testkit/send-mail";
import { beforeEach, describe, expect, test } from "vitest";

const theirs = generateKeyPairSync("rsa", { modulusLength: 2048 });
const publicText = (key: typeof theirs.publicKey) => key.export({ format: "der", type: "spki" }).toString("base64");
const dns = createFakeDns({});
const local: FakeDnsZone = { "sender.example": { txt: ["v=spf1 ip4:127.0.0.1 -all"] } };
const dkimName = { "s1._domainkey.sender.example": { txt: [`v=DKIM1; k=rsa; p=${publicText(theirs.publicKey)}`] } };
const dmarc = (policy: string): FakeDnsZone => ({ "_dmarc.sender.example": { txt: [`v=DMARC1; p=${policy}`] } });

const { mx, system, person } = await setUpForwarding({
  dns,
  env: { KAUKE_ARC_TRUSTED: "list.example" },
  overrides: { store: { dkimDomains: ["kauke.test"] } },
});
const record = dkimRecordOf(system);

beforeEach(() => {
  dns.zone = {};
  mx.reset();
});

const plain = "From: Ann <ann@sender.example>\r\nSubject: hi\r\nMessage-ID: <1@sender.example>\r\n\r\nbody\r\n";

async function signed(text: string): Promise<string> {
  const message = Buffer.from(text);
  const { end, fields } = readHeader(message);
  const header = message.subarray(0, end);
  const bodyHash = simpleBodyHash(message.subarray(end + 2));
  const key = {
    domain: "sender.example",
    selector: "s1",
    algorithm: "rsa-sha256",
    privateKey: theirs.privateKey,
  } as const;
  return (await dkimSign({ header, fields, bodyHash, signedAt: new Date() }, [key])) + text;
}

async function send(message: string | Buffer, from = "ann@sender.example") {
  const alias = await person.createAlias({ forwardTo: "jonas@inbox.example" });
  const { last } = await sendMail({
    port: system.mxPort,
    to: `${alias.alias}@kauke.test`,
    message,
    from,
    params: "BODY=8BITMIME SMTPUTF8",
  });
  return { last, bytes: mx.messages.at(-1)?.bytes, envelopeFrom: mx.messages.at(-1)?.envelopeFrom, alias };
}

/** @returns our own Authentication-Results field, on one line */
const resultsIn = (bytes: Buffer | undefined) =>
  /^Authentication-Results: (mail\.kauke\.test;[^]*?)\r\n(?![ \t])/m.exec(String(bytes))?.[1]?.replace(/\s+/g, " ");

const isMarkedUnverified = (bytes: Buffer | undefined) =>
  /^From:[^]*?Unverified/m.test(String(bytes).split("\r\nSubject", 1)[0] as string);

describe("DMARC", () => {
  test.each([
    ["aligned SPF passes", { ...local, ...dmarc("reject") }, false, "pass", false],
    ["aligned DKIM passes", { ...dkimName, ...dmarc("reject") }, true, "pass", false],
    ["nothing passes, with p=none", dmarc("none"), false, "fail", true],
    ["nothing passes, with p=quarantine", dmarc("quarantine"), false, "fail", true],
    ["no record at all", {}, false, "none", true],
  ] as const)("%s", async (_, zone, isSigned, result, isUnverified) => {
    dns.zone = zone;
    const { last, bytes } = await send(isSigned ? await signed(plain) : plain);
    expect(last).toMatch(/^250 /);
    expect(String(bytes)).toMatch(
      new RegExp(
        `Authentication-Results: mail\\.kauke\\.test;[^]*?dmarc=${result}|${result === "none" ? "mail.kauke.test" : "never"}`,
      ),
    );
    expect(isMarkedUnverified(bytes)).toBe(isUnverified);
  });

  test("the policy of a domain that asks for rejection of unauthenticated mail is applied", async () => {
    dns.zone = dmarc("reject");
    expect((await send(plain)).last).toMatch(/^550 5\.7\.26 /);
    expect(mx.messages).toEqual([]);
  });

  test("a failing resolver loses no mail: without a policy it is forwarded as unauthenticated, otherwise it is deferred", async () => {
    dns.zone = { "sender.example": { fails: true } };
    const { last, bytes } = await send(plain);
    expect(last).toMatch(/^250 /);
    expect(isMarkedUnverified(bytes)).toBe(true);
    expect(resultsIn(bytes)).toContain("spf=temperror");
    dns.zone = { "sender.example": { fails: true }, "_dmarc.sender.example": { fails: true } };
    expect((await send(plain)).last).toMatch(/^451 4\.7\.0 /);
  });

  const mailName = { "mail.sender.example": { txt: ["v=spf1 ip4:127.0.0.1 -all"] } };
  const record = (...texts: string[]): FakeDnsZone => ({ "_dmarc.sender.example": { txt: texts } });

  test.each([
    ["SPF of a subdomain passes, relaxed", { ...mailName, ...record("v=DMARC1; p=none") }, "dmarc=pass", false],
    ["SPF of a subdomain passes, aspf=s", { ...mailName, ...record("v=DMARC1; p=none; aspf=s") }, "dmarc=fail", true],
    ["SPF of a subdomain passes, without a DMARC record", mailName, "dmarc=none", false],
    [
      "SPF of a subdomain passes, aspf=s and p=quarantine",
      { ...mailName, ...record("v=DMARC1; p=quarantine; aspf=s") },
      "dmarc=fail policy.dmarc=quarantine",
      true,
    ],
    ["two records count as none", record("v=DMARC1; p=reject", "v=DMARC1; p=none"), "dmarc=none", true],
    ["a record for another purpose counts as none", record("v=spf1 -all"), "dmarc=none", true],
    ["a record without a policy counts as none", record("v=DMARC1"), "dmarc=none", true],
    ["pct is ignored", record("v=DMARC1; p=quarantine; pct=0"), "dmarc=fail policy.dmarc=quarantine", true],
    [
      "in test mode reject counts as quarantine",
      record("v=DMARC1; p=reject; t=y"),
      "dmarc=fail policy.dmarc=quarantine",
      true,
    ],
  ] as const)("%s", async (_, zone, result, isUnverified) => {
    dns.zone = zone;
    const { last, bytes } = await send(plain, "bounce@mail.sender.example");
    expect(last).toMatch(/^250 /);
    expect(resultsIn(bytes)).toContain(result);
    expect(isMarkedUnverified(bytes)).toBe(isUnverified);
  });

  test("adkim=s is not satisfied by a signature of the parent domain", async () => {
    dns.zone = { ...dkimName, "_dmarc.news.sender.example": { txt: ["v=DMARC1; p=quarantine; adkim=s"] } };
    const { bytes } = await send(await signed(plain.replace("ann@sender", "ann@news.sender")));
    expect(resultsIn(bytes)).toContain("dkim=pass");
    expect(isMarkedUnverified(bytes)).toBe(true);
    dns.zone["_dmarc.news.sender.example"] = { txt: ["v=DMARC1; p=quarantine"] };
    dns.zone["_dmarc.sender.example"] = { txt: ["v=DMARC1; p=none"] };
    const relaxed = await send(await signed(plain.replace("ann@sender", "ann@news.sender")));
    expect(isMarkedUnverified(relaxed.bytes)).toBe(false);
  });

  test.each([
    ["v=DMARC1; p=none; sp=reject", /^550 5\.7\.26 /],
    ["v=DMARC1; p=reject", /^550 5\.7\.26 /],
    ["v=DMARC1; p=reject; sp=none", /^250 /],
    ["v=DMARC1; p=none; np=reject", /^550 5\.7\.26 /],
  ])("mail of a subdomain of one with %s is answered %s", async (text, answer) => {
    dns.zone = record(text);
    expect((await send(plain.replace("ann@sender", "ann@deep.news.sender"), "x@other.example")).last).toMatch(answer);
  });

  test("mail is deferred if it depends on whether a domain exists and that can't be looked up", async () => {
    dns.zone = { ...record("v=DMARC1; p=none; np=reject"), "news.sender.example": { fails: true } };
    expect((await send(plain.replace("ann@sender", "ann@news.sender"), "x@other.example")).last).toMatch(/^451 /);
  });

  test("of several authors the one that is shown must pass authentication", async () => {
    dns.zone = { ...local, ...record("v=DMARC1; p=reject"), "_dmarc.bank.example": { txt: ["v=DMARC1; p=reject"] } };
    const two = (first: string, second: string) => plain.replace("Ann <ann@sender.example>", `${first}, ${second}`);
    expect((await send(two("ceo@bank.example", "ann@sender.example"))).last).toMatch(/^550 /);
    const { last, bytes } = await send(two("ann@sender.example", "ceo@bank.example"));
    expect(last).toMatch(/^250 /);
    const header = String(bytes).split("\r\n\r\n", 1)[0] as string;
    expect(/^From: .*(?:\r\n[ \t].*)*/m.exec(header)?.[0]).not.toContain("bank");
    // The other author can be answered, and is marked.
    expect(header.match(/[^\r]*bank[^\r]*/g)).toEqual([expect.stringContaining("Unverified: ceo at bank.example")]);
  });

  test("an SPF pass of a domain below a public suffix authenticates nobody at the suffix", async () => {
    dns.zone = { "evil.github.io": { txt: ["v=spf1 ip4:127.0.0.1 -all"] } };
    const { bytes } = await send(plain.replace("ann@sender.example", "support@github.io"), "x@evil.github.io");
    expect(resultsIn(bytes)).toContain("spf=pass");
    expect(isMarkedUnverified(bytes)).toBe(true);
  });
});

describe("a trusted forwarder's ARC seal", () => {
  const list = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const listKey = { "s1._domainkey.list.example": { txt: [`v=DKIM1; k=rsa; p=${publicText(list.publicKey)}`] } };

  /** Builds the message as a mailing list forwards it: sealed by `domain` with the `results` that it states. */
  async function sealed(domain: string, results: string, text = plain): Promise<string> {
    const message = Buffer.from(text);
    const { end, fields } = readHeader(message);
    const source = { header: message.subarray(0, end), fields, bodyHash: simpleBodyHash(message.subarray(end + 2)) };
    const key = { domain, selector: "s1", algorithm: "rsa-sha256", privateKey: list.privateKey } as const;
    return (await arcSign({ ...source, signedAt: new Date(), results, status: "none" }, key)) + text;
  }

  test("vouches for mail that no longer passes authentication itself", async () => {
    dns.zone = { ...listKey, ...dmarc("reject") };
    const { last, bytes } = await send(
      await sealed("list.example", "list.example; dmarc=pass header.from=sender.example"),
      "x@list.example",
    );
    expect(last).toMatch(/^250 /);
    expect(isMarkedUnverified(bytes)).toBe(true);
    expect(resultsIn(bytes)).toContain("arc=pass");
  });

  test.each([
    ["that found no proof", "list.example", "list.example; dmarc=fail header.from=sender.example"],
    ["of somebody else", "other.example", "list.example; dmarc=pass header.from=sender.example"],
  ])("%s does not vouch for it", async (_, domain, results) => {
    dns.zone = { ...listKey, "s1._domainkey.other.example": listKey["s1._domainkey.list.example"], ...dmarc("reject") };
    expect((await send(await sealed(domain, results), "x@list.example")).last).toMatch(/^550 5\.7\.26 /);
  });

  test("does not vouch for results that somebody else sealed over its message signature", async () => {
    dns.zone = { ...listKey, "s1._domainkey.evil.example": listKey["s1._domainkey.list.example"], ...dmarc("reject") };
    const theirs = await sealed("list.example", "list.example; dmarc=fail header.from=sender.example");
    const messageSignature = /^ARC-Message-Signature:[^]*?\r\n(?![ \t])/m.exec(theirs)?.[0] ?? "";
    const results = "ARC-Authentication-Results: i=1; list.example; dmarc=pass header.from=sender.example\r\n";
    const start = "ARC-Seal: i=1; cv=none; a=rsa-sha256; d=evil.example; s=s1; b=";
    const input = [results, messageSignature].map((it) => `${relaxedField(it)}\r\n`).join("") + relaxedField(start);
    const seal = sign("sha256", Buffer.from(input), list.privateKey).toString("base64");
    const { last } = await send(`${start}${seal}\r\n${messageSignature}${results}${plain}`, "x@list.example");
    expect(last).toMatch(/^550 5\.7\.26 /);
  });

  test("whose key can't be looked up now leads to deferred mail", async () => {
    dns.zone = { "s1._domainkey.list.example": { fails: true }, ...dmarc("reject") };
    expect(
      (
        await send(
          await sealed("list.example", "list.example; dmarc=pass header.from=sender.example"),
          "x@list.example",
        )
      ).last,
    ).toMatch(/^451 /);
  });
});

test("Authentication-Results fields that claim to be ours are removed", async () => {
  const forged = `Authentication-Results: mail.kauke.test; dmarc=pass\r\n${plain}`;
  const { bytes } = await send(forged);
  expect(String(bytes).match(/Authentication-Results:/g)).toHaveLength(1);
  expect(String(bytes)).not.toContain("dmarc=pass");
});

test("only an authenticated sender gets a bounce address whose reports reach it", async () => {
  dns.zone = local;
  expect((await send(plain)).envelopeFrom).toMatch(/^SRS0=/);
  dns.zone = {};
  expect((await send(plain)).envelopeFrom).toMatch(/^srs0-/);
});

describe("our signature", () => {
  const folder = new URL("../../../test-vectors/eml/", import.meta.url);
  const fixtures = readdirSync(folder).filter((it) => it.endsWith(".eml"));
  const judges = [
    ["mailauth", byMailauth],
    ["python3-dkim", pythonDkim()],
    ["opendkim", opendkim()],
  ] as const;

  for (const [name, judge] of judges) {
    if (judge === null) {
      console.log(`${name} is not installed: signatures are not verified with it.`);
      continue;
    }
    test(`${name} verifies every fixture, after being forwarded once and twice`, { timeout: 120_000 }, async () => {
      const failed: string[] = [];
      // A program that starts for each message gets every third of them in `npm test`.
      for (const file of fixtures.filter((_, at) => isLongRun || name === "mailauth" || at % 3 === 0)) {
        const once = (await send(readFileSync(new URL(file, folder)))).bytes as Buffer;
        if ((await judge(once, record)) !== "pass") failed.push(file);
        const twice = (await send(once)).bytes as Buffer;
        if ((await judge(twice, record)) !== "pass") failed.push(`${file} forwarded twice`);
      }
      expect(failed).toEqual([]);
    });
  }
});
