/**
 * Fuzz tests of all parsers: on no input may one throw anything but MailSyntaxError or violate its stated property.
 * 1,000 inputs each, 100,000 in `npm run test:long`. linear-cost.test.ts tests their running time.
 */
import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseAddress, parsePathArgument } from "./address/address.ts";
import { ADDRESSES_MAX, readAddressList } from "./address/address-list.ts";
import { toALabels } from "./address/dns-name.ts";
import { formatMailbox, shownName } from "./address/format-address.ts";
import { openCorrespondent, readReplyToken } from "./address/reply-address.ts";
import { readBoundSrs, srsForward, srsReverse } from "./address/srs.ts";
import { readArcChain } from "./arc/arc-chain.ts";
import { dmarcPassAuthor, readArcResults } from "./arc/arc-results.ts";
import { fromBase32 } from "./base32.ts";
import { stuff, unstuff } from "./body/dot-stuffing.ts";
import { rewriteParts } from "./body/rewrite-parts.ts";
import { decodeQuotedPrintable } from "./body/transfer-encoding.ts";
import { canonicalBody } from "./dkim/dkim-body.ts";
import { canonicalField, relaxedField, simpleBodyHash, withoutSignature } from "./dkim/dkim-canonical.ts";
import { isSameDkimKey, readTagList } from "./dkim/dns-records.ts";
import { keyFor, readKeyRecord } from "./dkim/key-record.ts";
import { checkWithKey, keyName, readSignatureField } from "./dkim/verify-signature.ts";
import { isDmarcRecord, readDmarcRecord } from "./dmarc/dmarc-record.ts";
import { comparableDomain } from "./dmarc/evaluate.ts";
import { parseEsmtpParams } from "./esmtp-params.ts";
import { decodeEncodedWords } from "./header/encoded-word.ts";
import { formatTextField } from "./header/header-field.ts";
import { fieldValue, readHeader } from "./header/headers.ts";
import { findMessageIds, parseMessageId } from "./header/message-id.ts";
import { messageIdKeys, openMessageId, sealMessageId } from "./header/message-id-map.ts";
import { rawFields } from "./header/raw-fields.ts";
import { rewriteForwardHeader } from "./header/rewrite-forward-header.ts";
import { formatReceived, readDate } from "./header/trace-fields.ts";
import { MailSyntaxError } from "./mail-syntax-error.ts";
import { rewriteReplyHeader } from "./message/reply-message.ts";
import { buildDeliveryReport } from "./report/dsn.ts";
import { isDeliveryReport, readDeliveryReport } from "./report/received-report.ts";
import { parseEnhancedStatus, parseReply } from "./report/status-code.ts";
import { parseRetrySchedule } from "./retry-schedule.ts";
import { expand, parseDomainSpec, targetName } from "./spf/domain-spec.ts";
import { dottedAddress, parseClientAddress } from "./spf/ip-address.ts";
import { isWithinExpansion, parseSpfRecord, SPF_EXPANDED_MAX, type SpfRecord } from "./spf/spf-record.ts";

const isLong = process.env.LONG_ROUNDS === "1";
const numRuns = isLong ? 100_000 : 400;
const aMinuteOrMore = isLong ? 3_600_000 : 60_000;

const now = new Date("2026-11-21T12:00:00Z");
const srs = {
  domain: "kauke.test",
  isOurDomain: (domain: string) => domain === "kauke.test",
  hashes: [(data: string) => createHash("sha256").update(data).digest()] as const,
  now,
};
const messageIds = messageIdKeys(Buffer.alloc(32, 7), "kauke.test");
const latin1 = (text: string) => Buffer.from(text, "latin1");

function readAllFields(text: string): void {
  const bytes = latin1(text);
  const { fields, end, isSeparated } = readHeader(bytes);
  let at = 0;
  for (const field of fields) {
    expect(field.start).toBe(at);
    expect(bytes.toString("latin1", field.start, field.start + field.name.length).toLowerCase()).toBe(field.name);
    expect(fieldValue(bytes, field)).not.toMatch(/[\r\n\0]/);
    at = field.end;
  }
  expect(end).toBe(at);
  expect(isSeparated).toBe(bytes.toString("latin1", end, end + 2) === "\r\n");
}

function reportAbout(text: string): void {
  const header = latin1(text);
  const { fields } = readHeader(header);
  const address = fields[0] === undefined ? "ann@example.org" : fieldValue(header, fields[0]);
  const report = buildDeliveryReport({
    to: address,
    aliasAddress: "shop@kauke.test",
    reportingMta: "mail.kauke.test",
    enhancedStatus: text,
    arrivedAt: now,
    at: now,
    messageId: "<a@kauke.test>",
    boundary: "abcdefghijklmnopqrstuvwxyz",
    original: { header, fields },
  });
  expect(isDeliveryReport(report)).toBe(true);
  for (const line of report.toString("latin1").split("\r\n")) expect(line.length).toBeLessThanOrEqual(998);
}

const header = [
  "A: b\r\n",
  "From: <a@b.test>\r\n",
  "\r\n",
  "\n",
  "\r",
  " ",
  "\t",
  ":",
  "x",
  "\0",
  "é",
  "Subject : x\r\n",
  "a:\r\n",
];
/** Rewrites whole header blocks with arbitrary fields. */
function rewriteHeaders(text: string): void {
  const header = latin1(text);
  const { fields, end } = readHeader(header);
  const source = { header: header.subarray(0, end), fields, aliasAddress: "shop@kauke.test", messageIds };
  const forwarded = rewriteForwardHeader({
    ...source,
    envelopeFrom: "ann@example.org",
    isVerified: false,
    replyAddressOf: () => "r.aaaaaaaaaaaaaaaaaaaa@kauke.test",
    removeResultsOf: "mail.kauke.test",
  });
  const answered = rewriteReplyHeader({
    ownDomains: ["owner.example"],
    ...source,
    aliasName: text,
    correspondentOf: () => null,
    newMessageId: "<a@kauke.test>",
    receivedAt: now,
  });
  // The forwarded and the answered header are valid to their last byte: no field may end the header or begin another
  // line.
  for (const written of [forwarded.header, answered.header]) expect(readHeader(written).end).toBe(written.length);
  expect(forwarded.fields).toEqual(readHeader(forwarded.header).fields);
}

/** Checks that wire form and body encodings can be reversed for any bytes. */
function readBytes(text: string): void {
  const bytes = latin1(text);
  expect(unstuff(stuff(bytes))).toEqual(bytes);
  for (const form of ["simple", "relaxed"] as const) {
    const once = Buffer.concat([...canonicalBody(bytes, form)]);
    expect(Buffer.concat([...canonicalBody(once, form)])).toEqual(once);
  }
  decodeQuotedPrintable(text);
}

/** Checks that fields we write can be parsed by a mail program. */
function writeFields(text: string): void {
  const fields = [
    formatTextField("Subject", text),
    `From: ${formatMailbox({ name: text, address: "a@b.test" })}\r\n`,
    formatReceived({ helo: text, clientAddress: text, by: text, protocol: "SMTP", id: text, forAlias: text, at: now }),
  ];
  const header = Buffer.from(fields.join(""));
  expect(readHeader(header).end).toBe(header.length);
  expect(shownName({ name: text, address: `${text}@b.test`, isVerified: true })).not.toMatch(/[\r\n\0@]/);
}

const address = [
  "@",
  ".",
  "<",
  ">",
  '"',
  "\\",
  "(",
  ")",
  ",",
  ";",
  ":",
  "[",
  "]",
  "IPv6:",
  "::1",
  "1.2.3.4",
  "a",
  "é",
  "xn--",
  " ",
];
/** Checks that what an SPF record accepts can be evaluated: prefixes are in range, names fit into a DNS query. */
function readSpf(text: string): void {
  const record = parseSpfRecord(`v=spf1 ${text}`);
  for (const mechanism of record?.mechanisms ?? []) {
    if (mechanism.kind === "ip") expect(mechanism.prefix).toBeLessThanOrEqual(mechanism.network.words.length * 32);
    if ("target" in mechanism && mechanism.target !== null) expandSpf(mechanism.target, record as SpfRecord, text);
  }
  expandSpf(parseDomainSpec(text), record, text);
  const client = parseClientAddress(text);
  if (client?.family === 4) expect(parseClientAddress(dottedAddress(client))).toEqual(client);
}

function expandSpf(spec: ReturnType<typeof parseDomainSpec>, record: SpfRecord | null, text: string): void {
  if (spec === null) return;
  const expanded = expand(spec.pieces, () => text);
  if (record !== null && isWithinExpansion(record, { sender: text, helo: text }))
    expect(Buffer.byteLength(expanded)).toBeLessThanOrEqual(SPF_EXPANDED_MAX + Buffer.byteLength(text) * 3);
  expect(targetName(expanded) ?? "a.b").toMatch(/^[ -~]{3,253}$/);
}

const spf = [
  " ",
  "a",
  "mx:",
  "ip4:192.0.2.1",
  "ip6:2001:db8::",
  "/24",
  "//64",
  "include:",
  "exists:",
  "redirect=",
  "ptr",
];
const spfNames = ["%{d}", "%{L1r-}", "%{", "}", "%%", "%_", ".example", "b.example", "-all", "x=", "::", "é"];

const mime = [
  "Content-Type: multipart/report; boundary=b\r\n",
  "\r\n",
  "--b\r\n",
  "--b--",
  "From: mailer-daemon@x\r\n",
  "=?utf-8?q?",
];

/** Parsers to be tested, with typical input; each checks its own result. */
const parsers: Record<string, { pieces: readonly string[]; read: (text: string) => unknown }> = {
  address: {
    pieces: address,
    read(text) {
      const { canonical } = parseAddress(text);
      expect(parseAddress(canonical).canonical).toBe(canonical);
    },
  },
  "path argument": { pieces: [...address, " SIZE=", "<>"], read: (text) => parsePathArgument(`FROM:<${text}`) },
  "MAIL parameters": {
    pieces: ["SIZE=", "BODY=8BITMIME", " ", "=", "SMTPUTF8", "9", "99999999999999999999", "+3D", "ENVID=", "x", "\t"],
    read: (text) => [parseEsmtpParams(text, "MAIL"), parseEsmtpParams(text, "RCPT")],
  },
  "address list": {
    pieces: [...address, "=?utf-8?b?w6k=?=", "a@b.test", "undisclosed:;"],
    read(text) {
      const { mailboxes } = readAddressList(text);
      expect(mailboxes.length).toBeLessThanOrEqual(ADDRESSES_MAX);
      for (const mailbox of mailboxes) expect(mailbox.address).not.toMatch(/[\r\n\0]/);
    },
  },
  "header block": { pieces: header, read: readAllFields },
  "encoded words": {
    pieces: ["=?", "?=", "utf-8", "?q?", "?b?", "=41", "_", " ", "w6k=", "é", "\r\n "],
    read: decodeEncodedWords,
  },
  "message identifiers": {
    pieces: ["<", ">", "@", "a", " ", "\\", '"', "[", "]", "(", ")", "\r\n "],
    read: (text) => [findMessageIds(text), parseMessageId(text)],
  },
  SRS: {
    pieces: ["SRS0", "SRS1", "=", "+", "-", "AB", "abcdefgh", "@kauke.test", "@example.org", '"', "\\", "a", "é", "@"],
    read(text) {
      srsReverse(text, srs);
      expect(readBoundSrs(text, srs)?.isBoundTo("subject") ?? false).toBe(false);
      expect(srsReverse(srsForward(text, srs), srs) ?? text.toLowerCase()).toBeTypeOf("string");
    },
  },
  "reply tokens": { pieces: ["r.", "r-", "a", "7", "=", "-", "R."], read: (text) => readReplyToken(text) },
  "a sealed correspondent": {
    pieces: ["\0", "a", "{", "\u{ff}"],
    read: (text) => expect(openCorrespondent("a".repeat(20), latin1(text))).toBeNull(),
  },
  "SMTP replies": {
    pieces: ["250", "550", "-", " ", "\r\n", "\n", "5.1.1", "4.", "9", "x", "\0"],
    read: (text) => [parseEnhancedStatus(text), parseReply(text)],
  },
  "delivery reports": {
    pieces: [...header, ...mime, "message/delivery-status", "Action: ", "failed", "Status: ", "5.2.2", "\r\n--"],
    // Parses the text once as a whole message, and once as the body of a delivery report.
    read(text) {
      isDeliveryReport(latin1(text));
      const facts = readDeliveryReport(latin1(`Content-Type: multipart/report\r\n\r\n${text}`));
      expect(facts?.enhancedStatus).toMatch(/^5\.[0-7]\.[0-9]{1,2}$/);
    },
  },
  "our own delivery report": { pieces: header, read: reportAbout },
  "parts of a message": {
    pieces: [...header, ...mime, "Content-ID: <a@b>\r\n", "Content-Type: text/html\r\n", "cid:a@b"],
    read: (text) =>
      rewriteParts({ header: latin1(mime[0] as string), body: latin1(text), token: "abcdefgh", domain: "kauke.test" }),
  },
  "headers to be rewritten": {
    pieces: [
      "From: ",
      "To: ",
      "Cc: ",
      "Reply-To: ",
      "References: ",
      "In-Reply-To: ",
      "Message-ID: ",
      "List-Unsubscribe: ",

      "Authentication-Results: ",
      "Date: ",
      "Auto-Submitted: ",
      "Subject: ",
      "a@b.test",
      "<a@b>",
      ",",
      "<mailto:a@b.test>",
      '"',
      "(",
      ")",
      ":",
      ";",
      "\r\n",
      "\r\n ",
      "\n",
      "\r",
      "\0",
      "=?utf-8?q?=0d=0a?=",
      "mail.kauke.test",
      "é",
    ],
    read: rewriteHeaders,
  },
  "bytes of a body": { pieces: ["\r\n", ".", "\r", "\n", " ", "\t", "a", "=\r\n", "=0", "=41"], read: readBytes },
  "fields we write": {
    pieces: ["\r\n", "\n", "a", " ", "(", "\\", '"', "=?", "é", "\u{202e}", "@", "\0"],
    read: writeFields,
  },
  "tag lists": {
    pieces: ["v=DKIM1", ";", "p=", "=", " ", "a", "k=rsa", "\r\n "],
    read: (text) => [readTagList(text, "DKIM1"), isSameDkimKey(text, { domain: "a.test", selector: "s", text })],
  },
  "signatures and seals": {
    pieces: [
      "i=1",
      "b=",
      "bh=",
      "h=from",
      ":",
      ";",
      "=",
      "c=relaxed/simple",
      "l=",
      "t=9",
      "x=",
      "\r\n ",
      " ",
      "B",
      "é",
      "\u{a0}",
    ],
    read: verifySafely,
  },
  "fields that were signed": {
    pieces: ["DKIM-Signature", ":", "b", "=", ";", " ", "\t", "\r\n ", "\r", "É", "a"],
    read(text) {
      const once = canonicalField(text, "relaxed");
      expect(once).not.toMatch(/\t| {2}|\r\n/);
      expect(withoutSignature(once).length).toBeLessThanOrEqual(once.length);
    },
  },
  "key records": {
    pieces: [
      "p=",
      "AAAA",
      "MCow",
      "k=ed25519",
      "k=rsa",
      "h=",
      "sha256",
      ":",
      ";",
      "=",
      "s=email",
      "v=DKIM1",
      " ",
      "t=y",
    ],
    read: (text) => keyFor(readKeyRecord(text), { hash: "sha256", isForSubdomain: false }),
  },
  "ARC results": {
    pieces: ["i=1", ";", "dmarc", "=", "pass", "(", ")", '"', "\\", " ", "header.from=a"],
    read: (text) => [readArcResults(text), dmarcPassAuthor(text)],
  },
  "DMARC records": {
    pieces: [
      "v=DMARC1",
      ";",
      "p=",
      "reject",
      "sp=none",
      "np=",
      "rua=",
      "mailto:a@b",
      ",",
      "!10m",
      "psd=y",
      "t=y",
      "=",
      " ",
    ],
    read: (text) => [isDmarcRecord(text), readDmarcRecord(text)],
  },
  "domain names": {
    pieces: ["a", ".", "é", "xn--", "。", "日", "\u{308}", "-", "A"],
    read: (text) => expect(comparableDomain(comparableDomain(toALabels(text)))).toBe(comparableDomain(toALabels(text))),
  },
  "SPF records": { pieces: [...spf, ...spfNames], read: readSpf },
  "dates and schedules": {
    pieces: ["1 Jan 2026", "12:00", "(", ")", "+0000", "30s", ",", "9", "-", " "],
    read: (text) => [readDate(text), parseRetrySchedule(text)],
  },
  "sealed identifiers": {
    pieces: ["<", ">", "@", "kauke.test", "v.", "a", "7", "é", "="],
    read(text) {
      const sealed = sealMessageId(text, messageIds);
      expect(openMessageId(text, messageIds) ?? "").toBeTypeOf("string");
      expect(sealMessageId(sealed, messageIds)).toBe(sealed);
      fromBase32(text);
    },
  },
};

const edKey = readKeyRecord("k=ed25519; p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=");

/** Checks that no generated signature passes, and that parsing it or checking it throws nothing. */
function verifySafely(text: string): void {
  const fields = rawFields(`DKIM-Signature: a=ed25519-sha256; d=a; s=b; ${text}`);
  expect(fields.map((field) => field.text).join("\r\n").length).toBeLessThanOrEqual(text.length + 50);
  for (const field of fields) {
    const signature = readSignatureField(field);
    if (signature === null) continue;
    expect(keyName(signature)).toContain("._domainkey.");
    expect(checkWithKey(signature, { fields, found: edKey, now: 0 }).result).not.toBe("pass");
  }
  readArcChain(fields.map((field) => ({ ...field, name: "arc-seal" })));
}

function readSafely(read: (text: string) => unknown, text: string): void {
  try {
    read(text);
  } catch (thrown) {
    if (!(thrown instanceof MailSyntaxError)) throw thrown;
  }
}

/** Generates text mostly from the parser's typical input, in any order, mixed with arbitrary characters. */
const textOf = (pieces: readonly string[]) =>
  fc
    .array(
      fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...pieces) }, fc.string({ unit: "binary", maxLength: 6 })),
      {
        maxLength: 30,
      },
    )
    .map((all) => all.join(""));

describe.each(Object.entries(parsers))("%s", (_, { pieces, read }) => {
  test("are parsed, or refused with a MailSyntaxError", { timeout: aMinuteOrMore }, () => {
    fc.assert(
      fc.property(textOf(pieces), (text) => readSafely(read, text)),
      { numRuns },
    );
  });
});

describe("DKIM canonical forms", () => {
  test("of a field are idempotent, on one line, without consecutive white space", { timeout: aMinuteOrMore }, () => {
    const piece = fc.constantFrom(" ", "\t", "\r\n ", "\r\n\t", "a", "B", ":", "é", "=", "  ");
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const once = relaxedField(`Subject:${pieces.join("")}\r\n`);
        expect(relaxedField(once)).toBe(once);
        expect(once).not.toMatch(/[\r\n\t]|  | $|^subject: /);
      }),
      { numRuns },
    );
  });

  test("of a body follow RFC 6376 §3.4.3", { timeout: aMinuteOrMore }, () => {
    const piece = fc.oneof(
      fc.constantFrom("\r\n", "\r", "\n", ".", " ", "a"),
      fc.string({ unit: "binary", maxLength: 4 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const body = Buffer.from(`${pieces.join("")}\r\n`);
        const expected = `${body.toString("latin1").replace(/(?:\r\n)+$/, "")}\r\n`;
        expect(simpleBodyHash(body)).toEqual(createHash("sha256").update(expected, "latin1").digest());
      }),
      { numRuns },
    );
  });
});
