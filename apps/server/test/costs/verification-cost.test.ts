/**
 * The highest processor time that authenticating one message can take: hostile input at our limits, everywhere that it
 * is read. linear-cost.test.ts tests how the cost grows with the size of the input.
 */

import { headerLimits } from "@kauke/mail-rfc";
import { bounds } from "@kauke/server/limits/table";
import { authenticate } from "@kauke/server/mail/inbound/authenticate/authenticate";
import { BodyHashes } from "@kauke/server/mail/message/message-signer";
import { createFakeDns, type FakeDnsZone } from "@kauke/testkit/fakes/fake-dns";
import { printFigures } from "@kauke/testkit/long-rounds";
import { sealMessage } from "mailauth";
import { describe, expect, it } from "vitest";
import { arcKey, hugeExponentKey, largeKey } from "../hostile-keys.testing.ts";

/** Maximum milliseconds of this thread's processor time for authenticating one message; 20 to 40 were measured. */
const COST_MAX_MS = 100;
const RUNS = 4;

interface Attack {
  raw?: Buffer;
  zone?: FakeDnsZone;
  clientAddress?: string;
  helo?: string;
  envelopeFrom?: string;
}

const plain = Buffer.from("From: a@evil.example\r\n\r\nx\r\n");
const longName = `${"a".repeat(60)}.${"b".repeat(60)}.evil.example`;

const verify = ({ raw = plain, zone = {}, ...claim }: Attack) =>
  authenticate(
    { raw, envelopeFrom: "a@evil.example", clientAddress: "2001:db8::1", helo: "a".repeat(250), ...claim },
    {
      resolver: createFakeDns(zone),
      mailHost: "mx.kauke.test",
      trustedArcSigners: new Set(),
      timeoutMs: 60_000,
      bodyHashes: new BodyHashes(),
    },
  );

/**
 * @returns processor time in milliseconds of authenticating a message: the lowest of several runs, because other load
 * on the machine is not a cost of the message
 */
async function costOf(attack: Attack): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < RUNS && least > COST_MAX_MS / 2; run += 1) {
    const began = process.threadCpuUsage();
    await verify(attack);
    const { user, system } = process.threadCpuUsage(began);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}

async function expectCheap(name: string, attack: Attack): Promise<void> {
  const ms = await costOf(attack);
  printFigures(name, { ms: Math.round(ms) });
  expect(ms).toBeLessThan(COST_MAX_MS);
}

const RECORD = 4096;
const fillWith = (piece: string, room: number) => `${piece} `.repeat(Math.floor(room / (piece.length + 1)));

/** Eleven SPF records that include each other, each filled with a term up to the size limit. */
function chainOf(first: string, term: string): FakeDnsZone {
  const record = (at: number) => {
    const end = `include:i${at + 1}.evil.example ?all`;
    const start = `v=spf1 ${first}`;
    return `${start}${fillWith(term, Math.min(RECORD - start.length - end.length, 210 * (term.length + 1)))}${end}`;
  };
  const names = Array.from({ length: 11 }, (_, at) => [`i${at}.evil.example`, { txt: [record(at)] }] as const);
  return { ...Object.fromEntries(names), "evil.example": { txt: [record(0)] }, [longName]: { txt: [record(0)] } };
}

const addresses = {
  a: Array.from({ length: bounds.dnsResponse.records }, (_, at) => `10.0.0.${at}`),
  aaaa: Array.from({ length: bounds.dnsResponse.records }, (_, at) => `2001:db8::${at + 2}`),
};
const hosts = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`h${at}.evil.example`, addresses] as const));
const tens = Array.from({ length: 10 }, (_, at) => at);
const mailHosts: FakeDnsZone = {
  ...hosts,
  ...Object.fromEntries(
    tens.map((at) => [`m${at}.evil.example`, { mx: tens.map((n) => [n, `h${at * 10 + n}.evil.example`] as const) }]),
  ),
  "evil.example": { txt: [`v=spf1 ${tens.map((at) => `mx:m${at}.evil.example`).join(" ")}`] },
};
const reverseName = `1.${"0.".repeat(23)}8.b.d.0.1.0.0.2.ip6.arpa`;

describe("evaluating an SPF record costs little,", () => {
  it.each<[string, Attack]>([
    ["full of IPv4 networks", { zone: chainOf("", "ip4:1.2.3.4/9") }],
    ["full of IPv6 networks", { zone: chainOf("", "ip6:1::/9") }],
    ["full of modifiers", { zone: chainOf("", "x=") }],
    [
      "full of macros that escape what is long",
      {
        zone: chainOf("x=%{S} ".repeat(31), "ip6:1::/9"),
        envelopeFrom: `${"&".repeat(64)}@${longName}`,
      },
    ],
    ["full of macros with all delimiters", { zone: chainOf("x=%{h9r.-+,/_=} ".repeat(31), "x=") }],
    ["a redirect to a long name", { zone: { "evil.example": { txt: [`v=spf1 redirect=x.${"%{h}".repeat(3)}!`] } } }],
    [
      "a redirect to a name longer than that",
      { zone: { "evil.example": { txt: [`v=spf1 redirect=x.${"%{h}".repeat(900)}!`] } } },
    ],
    ["macros that never end", { zone: { "evil.example": { txt: [`v=spf1 x=${"%{".repeat(7000)}`] } } }],
    ["an include of a long name", { zone: { "evil.example": { txt: [`v=spf1 include:x.${"a".repeat(16_000)}!`] } } }],
    [
      "many records of one name",
      { zone: { "evil.example": { txt: Array(bounds.dnsResponse.txtRecords).fill("v=spf1".padEnd(60)) } } },
    ],
    ["hosts of mail hosts, IPv4", { zone: mailHosts, clientAddress: "192.0.2.1" }],
    ["hosts of mail hosts, IPv6", { zone: mailHosts }],
    [
      "names of the address",
      {
        zone: {
          ...hosts,
          [reverseName]: { ptr: Object.keys(hosts).slice(0, bounds.dnsResponse.records) },
          "evil.example": { txt: [`v=spf1 ${"ptr:x.evil.example ".repeat(10)}`] },
        },
      },
    ],
  ])("%s", async (name, attack) => {
    await expectCheap(`SPF: ${name}`, attack);
  });
});

const BODY_HASH = "s14J+iztnrytnRYzb7lhFG/jS/vrxWJnnahfijFMnco=";
/**
 * A signature value as long as the key's modulus and numerically less, because a shorter one is rejected without a
 * check.
 */
const valueOf = (keyBits: number) => Buffer.alloc(keyBits / 8, 1).toString("base64");
const signature = (more = "", form = "relaxed/relaxed", value = valueOf(4096)) =>
  `DKIM-Signature: v=1; a=rsa-sha256; c=${form}; d=evil.example; s=s; bh=${BODY_HASH}; b=${value}; ${more}\r\n`;
const keyed = (record: string): FakeDnsZone => ({ "s._domainkey.evil.example": { txt: [record] } });
const message = (fields: string) => Buffer.from(`${fields}From: a@evil.example\r\n\r\nx\r\n`, "latin1");
const names = `h=from:${Array(199).fill("x").join(":")}`;
const largeHeaders: [string, string][] = [
  ["blanks between letters", `X: ${"a ".repeat(48_000)}\r\n`.repeat(2)],
  ["many fields", `X: ${"a b\t".repeat(55)}\r\n`.repeat(900)],
  ["folds", `X: ${`${"a".repeat(20)}\r\n `.repeat(2500)}\r\n`.repeat(3)],
];
/** A tag name with as many blanks as a field may contain. */
const blanks = (times: number) => `n${`${" ".repeat(64)}a`.repeat(times)}b=a`;
const arcFields = ["ARC-Seal", "ARC-Message-Signature", "ARC-Authentication-Results"];
const arcSets = (value: string) =>
  Array.from({ length: 20 }, (_, at) => arcFields.map((name) => `${name}: i=${at + 1}; ${value}\r\n`).join("")).join(
    "",
  );

describe("checking signatures costs little,", () => {
  it.each(
    largeHeaders.flatMap(([name, header]) => [
      [`relaxed, over ${name}`, header, "relaxed/relaxed"] as const,
      [`simple, over ${name}`, header, "simple/simple"] as const,
    ]),
  )("%s", async (name, header, form) => {
    const raw = message(signature(names, form).repeat(10) + header);
    expect(raw.length).toBeLessThan(headerLimits.bytesMax);
    await expectCheap(`signatures ${name}`, { raw, zone: keyed(largeKey) });
  });

  it.each<[string, string]>([
    ["runs of blanks in signatures", `DKIM-Signature: ${blanks(120)}\r\n`.repeat(8)],
    ["runs of blanks in ARC sets", arcSets(blanks(15))],
    ["long runs of blanks in ARC sets", arcSets(`n${" ".repeat(3000)}b=a`)],
    ["a run of blanks as long as a field may be", `ARC-Seal: i=1; n${" ".repeat(15_900)}b=a\r\n`.repeat(15)],
  ])("%s", async (name, fields) => {
    await expectCheap(name, { raw: message(fields), zone: keyed(largeKey) });
  });

  it.each<[string, number, string]>([
    ["keys as large as they may be", 4096, largeKey],
    ["keys with an exponent as long as the modulus", 3072, hugeExponentKey],
    ["a key record of blanks", 4096, `v=DKIM1; p=${"A ".repeat(8000)}`],
    ["a key record of tags", 4096, `v=DKIM1; ${"a=b;".repeat(4000)}p=AAAA`],
  ])("%s", async (name, keyBits, record) => {
    const names = Array.from({ length: 10 }, (_, at) => [`s${at}._domainkey.evil.example`, { txt: [record] }] as const);
    const raw = message(
      names
        .map((_, at) => signature("h=from", "relaxed/relaxed", valueOf(keyBits)).replace("s=s;", `s=s${at};`))
        .join(""),
    );
    await expectCheap(name, { raw, zone: Object.fromEntries(names) });
  });
});

describe("evaluating a DMARC record costs little,", () => {
  it.each(["v=DMARC1; p=none; rua=mailto:a,", "v=DMARC1; rua=a!1", "v=DMARC1; "])(
    "one that begins %j",
    async (start) => {
      for (const piece of [" ", "a", ";", "=", "a=b;", "!1", "mailto:a,", "%2"]) {
        const record = start + piece.repeat((bounds.dnsResponse.characters - start.length) / piece.length);
        await expectCheap(`DMARC of ${piece}`, { zone: { "_dmarc.evil.example": { txt: [record] } } });
      }
    },
  );
});

it("authenticating a message with all of these at once costs little", { timeout: 60_000 }, async () => {
  let raw: Buffer = message(largeHeaders[0]?.[1] ?? "");
  for (let at = 0; at < 20; at += 1) {
    const seal = { signingDomain: "evil.example", selector: "arc", privateKey: arcKey.privateKey };
    const sealed = await sealMessage(raw, {
      ...seal,
      authResults: "mx.evil.example; none",
      cv: at === 0 ? "none" : "pass",
    });
    raw = Buffer.concat([sealed, raw]);
  }
  raw = Buffer.concat([Buffer.from(signature(names).repeat(10)), raw]);
  const zone = { ...mailHosts, ...keyed(largeKey), "arc._domainkey.evil.example": { txt: [arcKey.record] } };
  const attack = { raw, zone: { ...zone, "evil.example": mailHosts["evil.example"] ?? {} } };
  const { found } = await verify(attack);
  expect(found.arc).toBe("pass");
  await expectCheap("all at once", attack);
});
