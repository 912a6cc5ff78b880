/**
 * Tests the law of linear cost (the cost grows no faster than the input) for everything that reads input of strangers
 * or accounts: SMTP, screening, authentication, webhook bodies, age texts and HTTP bodies. The parsers of
 * packages/mail-rfc are tested there.
 */

import { createHash } from "node:crypto";
import { AGE_HEADER_MAX_BYTES, dearmor, isAgeFile, isPublicKey, publicKeyKind, readPrivateKeys } from "@kauke/age";
import { adminEndpoints, type Endpoint, endpoints, limits } from "@kauke/contract";
import { findReservedName } from "@kauke/contract/reserved-names";
import { headerLimits, readStsPolicy, unstuff } from "@kauke/mail-rfc";
import { bodyShapes, fill, headerShapes, type Shape, textShapes } from "@kauke/mail-rfc/hostile-shapes.testing";
import { growthOf } from "@kauke/mail-rfc/linear-cost.testing";
import { fromBase58 } from "@kauke/server/core/wallet/wallet-signature";
import { parseBody } from "@kauke/server/http/request/parse-body";
import { MemoryBudget } from "@kauke/server/limits/bytes";
import { bounds } from "@kauke/server/limits/table";
import { screen } from "@kauke/server/mail/inbound/arrived-message";
import { authenticate } from "@kauke/server/mail/inbound/authenticate/authenticate";
import { BodyHashes } from "@kauke/server/mail/message/message-signer";
import { parseCommand, readMailFrom, readRcptTo } from "@kauke/server/mail/smtp/commands";
import { AuthExchange } from "@kauke/server/mail/smtp/session-auth";
import { DataReader, SessionInput } from "@kauke/server/mail/smtp/session-input";
import { parseAllowList } from "@kauke/server/mail/transport/address-guard";
import { ongoingAttempt } from "@kauke/server/mail/transport/outgoing-mail.testing";
import { createStsPolicies } from "@kauke/server/mail/transport/sts-policies";
import { buildRawWebhookBody } from "@kauke/server/mail/transport/webhook/webhook-body";
import { isLongRun, rounds } from "@kauke/testkit/long-rounds";
import { describe, expect, it } from "vitest";

const TIMEOUT_MS = isLongRun ? 3_600_000 : 240_000;
const { bytesMax: HEADER, fieldBytesMax: FIELD } = headerLimits;
const BODY = rounds(1, 25) * 1024 * 1024;
const AGE_TEXT_MAX = rounds(limits.encryptedTextMax / 4, limits.encryptedTextMax);
const latin1 = (text: string) => Buffer.from(text, "latin1");

/**
 * @returns the input shapes that break the law of linear cost, each with its measurements; a rejected input counts with
 * the time until it was rejected
 */
async function breaches<T>(
  shapes: readonly Shape[],
  toInput: (text: string) => T,
  [largest, read]: [largest: number, read: (input: T) => unknown],
): Promise<string[]> {
  const run = (input: T): unknown => {
    try {
      return read(input);
    } catch {
      return null;
    }
  };
  const found: string[] = [];
  for (const shape of shapes) {
    const verdict = await growthOf({ make: (size) => toInput(fill(shape, size)), run, largest });
    if (verdict !== "linear") found.push(`${shape.name}: ${verdict}`);
  }
  return found;
}

/** DNS of all senders: a key for every signature, a DMARC policy, an SPF record that authorizes nobody. */
const key = "MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=";
const resolver = {
  resolveTxt: async (name: string) => {
    if (name.includes("_domainkey")) return { kind: "found", records: [`v=DKIM1; k=ed25519; p=${key}`] };
    if (name.startsWith("_dmarc.")) return { kind: "found", records: ["v=DMARC1; p=reject"] };
    return { kind: "found", records: ["v=spf1 -all"] };
  },
  resolveMx: async () => ({ kind: "no_record" }),
  resolve4: async () => ({ kind: "no_record" }),
  resolve6: async () => ({ kind: "no_record" }),
  resolvePtr: async () => ({ kind: "no_record" }),
} as unknown as Parameters<typeof authenticate>[1]["resolver"];

const plainMessage = Buffer.from("From: Ann <a@b.test>\r\n\r\nbody\r\n");
const verify = (raw: Buffer, claim: { helo?: string; envelopeFrom?: string; records?: Record<string, string> } = {}) =>
  authenticate(
    { raw, envelopeFrom: "a@b.test", clientAddress: "192.0.2.1", helo: "a.test", ...claim },
    {
      resolver: withRecords(claim.records ?? {}),
      mailHost: "mx.test",
      trustedArcSigners: new Set(),
      timeoutMs: 60_000,
      bodyHashes: new BodyHashes(),
    },
  );

function withRecords(records: Record<string, string>): typeof resolver {
  const resolveTxt = async (name: string) => {
    const record = records[name];
    return record === undefined ? resolver.resolveTxt(name) : { kind: "found" as const, records: [record] };
  };
  return { ...resolver, resolveTxt };
}

/** Where a hostile value may stand in DNS, up to the largest answer that the resolver accepts. */
const published: Record<string, (text: string) => Record<string, string>> = {
  "an SPF record": (text) => ({ "b.test": `v=spf1 ${text}` }),
  "a redirect of SPF": (text) => ({ "b.test": `v=spf1 redirect=x.${text}` }),
  "a host of SPF": (text) => ({ "b.test": `v=spf1 a:x.${text}` }),
  "a network of SPF": (text) => ({ "b.test": `v=spf1 ip6:${text}` }),
  "an explanation of SPF": (text) => ({ "b.test": "v=spf1 -all exp=why.test", "why.test": text }),
  "a DMARC record": (text) => ({ "_dmarc.b.test": `v=DMARC1; p=none; ${text}` }),
  "an address in a DMARC record": (text) => ({ "_dmarc.b.test": `v=DMARC1; rua=mailto:${text}` }),
  "a key": (text) => ({ "a._domainkey.b.test": `v=DKIM1; k=rsa; p=${text}` }),
  "a note in a key": (text) => ({ "a._domainkey.b.test": `v=DKIM1; n=${text}; p=${key}` }),
};

/** A DKIM signature with the body hash of `plainMessage`, so that its key is looked up. */
const signedMessage = Buffer.from(
  `DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=b.test; s=a; h=from; b=y; bh=${createHash("sha256").update("body\r\n").digest("base64")}\r\n${plainMessage.toString()}`,
);

const dnsPieces = [" ", "a", ";", "a=b;;", "::::"];
/**
 * Shapes of hostile DNS values: those of SPF's macros and terms, and text shapes (all of these in long runs, otherwise
 * only those that once broke a record parser).
 */
const dnsShapes: readonly Shape[] = [
  ...textShapes.filter(({ piece }) => isLongRun || dnsPieces.includes(piece)),
  { name: "macros", piece: "%{h}" },
  { name: "open macros", piece: "%{" },
  { name: "terms", piece: "x= " },
];
const hostLines: Shape = { name: "hosts", piece: "mx:a\n" };

const signature = (more: string, names = "d=b.test; s=a; h=from:x") =>
  `DKIM-Signature: v=1; a=ed25519-sha256; c=relaxed/relaxed; ${names}; bh=x; b=y; ${more}\r\n`;
const set =
  "ARC-Seal: i=1; a=ed25519-sha256; cv=none; d=b.test; s=a; b=x\r\n" +
  "ARC-Message-Signature: i=1; a=ed25519-sha256; d=b.test; s=a; h=from; bh=x; b=x\r\n";
const from = "From: Ann <a@b.test>\r\n";

/** Fields and tags of a message in which a hostile value passes the screening stage and reaches authentication. */
const verified: Record<string, (text: string) => string> = {
  From: (text) => `From: ${text}\r\n${signature("")}`,
  "a second From": (text) => `${from}From: ${text}\r\n`,
  "a signature": (text) => `${from}${signature(text)}`,
  "the list of signed fields": (text) => `${from}${signature("", `d=b.test; s=a; h=from:${text}`)}`,
  "who signed": (text) => `${from}${signature("", `h=from:x; d=${text}; s=${text}; i=${text}`)}`,
  "a field that is signed": (text) => `${from}${signature("")}X: ${text}\r\n`,
  "the results in an ARC set": (text) => `${set}ARC-Authentication-Results: i=1; ${text}\r\n${from}`,
  "a seal": (text) => `ARC-Seal: i=1; ${text}\r\n${from}`,
  "a trace field": (text) => `Received: ${text}\r\n${from}`,
  "Content-Type": (text) => `${from}Content-Type: ${text}\r\n${signature("")}`,
  "Return-Path": (text) => `Return-Path: ${text}\r\n${from}`,
  "a line that is not a field": (text) => `${from}${text}\r\n${signature("")}`,
};

/** Inputs that were once slow to parse: every run measures them. Of all others `npm test` measures every fifth. */
const known = ["a:", ":", ";", "\r", "a\r\n ", "a=b;;", "from:", '"a" '];
const sample = (shapes: readonly Shape[]) =>
  shapes.filter(({ piece }, at) => isLongRun || at % 5 === 0 || known.includes(piece));

describe("twice the hostile input takes about twice the time:", () => {
  it.each<[string, (text: string) => unknown]>([
    ["a command", parseCommand],
    ["the argument of MAIL", (text) => readMailFrom(`FROM:<${text}`)],
    ["the argument of RCPT", (text) => readRcptTo(`TO:<${text}`)],
    ["a sign-in", (text) => new AuthExchange("PLAIN").begin(text)],
  ])("%s", { timeout: TIMEOUT_MS }, async (_, read) => {
    expect(await breaches(textShapes, (text) => text, [bounds.smtpSession.lineBytes, read])).toEqual([]);
  });

  it.each([65_536, 100])(
    "a message that arrives in chunks of %i bytes",
    { timeout: TIMEOUT_MS },
    async (pieceBytes) => {
      const read = (body: Buffer) => {
        const reader = new DataReader(body.length, new MemoryBudget(BODY * 2));
        for (let at = 0; at < body.length; at += pieceBytes) reader.push(body.subarray(at, at + pieceBytes));
      };
      const largest = pieceBytes < 1000 ? BODY / 8 : BODY;
      expect(await breaches(sample(bodyShapes), latin1, [largest, read])).toEqual([]);
    },
  );

  it("command lines that arrive all at once", { timeout: TIMEOUT_MS }, async () => {
    const read = (bytes: Buffer) => {
      const input = new SessionInput();
      for (let at = 0; at < bytes.length; at += 1000) input.push(bytes.subarray(at, at + 1000));
      for (let taken = input.takeLine(); taken !== null && taken !== "too_long"; ) {
        if (input.isEmpty) break;
        taken = input.takeLine();
      }
    };
    expect(await breaches(sample(bodyShapes), latin1, [65_536, read])).toEqual([]);
  });

  it("screening, also of headers beyond the limits", { timeout: TIMEOUT_MS }, async () => {
    expect(await breaches([...headerShapes, ...sample(textShapes)], latin1, [HEADER * 4, screen])).toEqual([]);
  });

  it.each(Object.entries(verified))(
    "authentication with a hostile value of %s",
    { timeout: TIMEOUT_MS },
    async (_, of) => {
      const toMessage = (text: string) => latin1(`${of(text)}Subject: x\r\n\r\nbody\r\n`);
      expect(await breaches(sample(textShapes), toMessage, [FIELD, verify])).toEqual([]);
    },
  );

  it.each(Object.entries(published))(
    "authentication with a hostile value of %s",
    { timeout: TIMEOUT_MS },
    async (_, of) => {
      const read = (text: string) => verify(signedMessage, { records: of(text) });
      expect(await breaches(dnsShapes, (text) => text, [bounds.dnsResponse.characters, read])).toEqual([]);
    },
  );

  it("authentication with a hostile HELO, which an SPF record expands", { timeout: TIMEOUT_MS }, async () => {
    const records = { "b.test": `v=spf1 redirect=x.${"%{h}".repeat(100)}!` };
    const read = (helo: string) => verify(plainMessage, { helo, records });
    expect(await breaches(dnsShapes, (text) => text, [bounds.smtpSession.lineBytes, read])).toEqual([]);
  });

  it("an MTA-STS record", { timeout: TIMEOUT_MS }, async () => {
    const read = (text: string) => {
      const records = { "_mta-sts.b.test": `v=STSv1; id=${text}` };
      const policies = createStsPolicies({ resolver: withRecords(records), allow: parseAllowList([]) });
      return policies.find("b.test", ongoingAttempt());
    };
    expect(await breaches(dnsShapes, (text) => text, [bounds.dnsResponse.characters, read])).toEqual([]);
  });

  it.each(["mx: ", ""])("an MTA-STS policy file with a hostile value of %j", { timeout: TIMEOUT_MS }, async (start) => {
    const toFile = (text: string) => `version: STSv1\nmode: enforce\nmax_age: 1\n${start}${text}\nmx: a.test\n`;
    expect(await breaches([...dnsShapes, hostLines], toFile, [65_536, readStsPolicy])).toEqual([]);
  });

  it("authentication of a hostile header", { timeout: TIMEOUT_MS }, async () => {
    const toMessage = (text: string) => latin1(`${text}${from}\r\nbody\r\n`);
    expect(await breaches(headerShapes, toMessage, [HEADER, verify])).toEqual([]);
  });

  it.each(["relaxed/relaxed", "simple/simple"])(
    "authentication of a body, %s",
    { timeout: TIMEOUT_MS },
    async (form) => {
      const header = `${from}${signature("").replace("relaxed/relaxed", form)}\r\n`;
      expect(await breaches(sample(bodyShapes), (text) => latin1(header + text), [BODY, verify])).toEqual([]);
    },
  );

  it("a webhook's body that is sent raw", { timeout: TIMEOUT_MS }, async () => {
    const nothing = { spf: "none", dkim: "none", dmarc: "none", arc: "none" } as const;
    const envelope = { envelopeFrom: "a@b.test", receivedAt: new Date(0) };
    const read = (raw: Buffer) =>
      buildRawWebhookBody({ aliasAddress: "shop@kauke.test", envelope, raw: unstuff(raw), authentication: nothing });
    expect(await breaches(sample(bodyShapes), latin1, [BODY, read])).toEqual([]);
  });

  it.each<[string, number, (text: string) => unknown]>([
    ["an armored text", AGE_TEXT_MAX, (text) => dearmor(`-----BEGIN AGE ENCRYPTED FILE-----\n${text}`, 2e6)],
    ["a text that may be an age file", AGE_TEXT_MAX, isAgeFile],
    [
      "the header of an age file",
      2 * AGE_HEADER_MAX_BYTES,
      (text) => isAgeFile(latin1(`age-encryption.org/v1\n${text}`)),
    ],
    [
      "stanzas of an age file",
      2 * AGE_HEADER_MAX_BYTES,
      (text) => isAgeFile(latin1(`age-encryption.org/v1\n-> ${text}`)),
    ],
    ["a public key", limits.publicKeyMax, (text) => [isPublicKey(`age1${text}`), publicKeyKind(text)]],
    ["private keys", limits.identityFileMax, readPrivateKeys],
    ["base58", limits.smallBodyMaxBytes, (text) => fromBase58(text, 64)],
    ["a reserved name", limits.smallBodyMaxBytes, findReservedName],
  ])("%s", { timeout: TIMEOUT_MS }, async (_, largest, read) => {
    expect(await breaches(sample(textShapes), (text) => text, [largest, read])).toEqual([]);
  });

  const withBody = Object.entries<Endpoint>({ ...endpoints, ...adminEndpoints }).filter(
    ([, { body }]) => body !== undefined,
  );

  it.each(withBody)("the body of %s", { timeout: TIMEOUT_MS }, async (_, { body: schema, bodyMaxBytes }) => {
    if (schema === undefined) return;
    const names = Object.keys("shape" in schema ? (schema.shape as object) : {});
    expect(names).not.toEqual([]);
    const read = (json: string) => parseBody(schema, JSON.parse(json));
    const largest = bodyMaxBytes ?? limits.smallBodyMaxBytes;
    // All fields at once: a value that fails the check of one field still passes through the checks of the others.
    const toJson = (text: string) => {
      const value = JSON.stringify(text);
      return `{${names.map((name) => `${JSON.stringify(name)}:${value}`).join(",")}}`;
    };
    const most = Math.min(largest, rounds(limits.smallBodyMaxBytes * 2, largest));
    expect(await breaches(sample(textShapes), toJson, [Math.floor(most / names.length), read])).toEqual([]);
  });
});
