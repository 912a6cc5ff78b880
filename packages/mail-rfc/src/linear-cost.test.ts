/**
 * Tests that every parser of this package takes linear time (linear-cost.testing.ts) for every hostile shape, up to the
 * largest input that the limits permit. whole-message-cost.test.ts measures whole messages.
 */
import { createHash, generateKeyPairSync } from "node:crypto";
import { describe, expect, it } from "vitest";
import { parseAddress, parsePathArgument } from "./address/address.ts";
import { addressesOf, fieldBytes } from "./address/address-header.ts";
import { readAddressList } from "./address/address-list.ts";
import { readDnsName, toALabels } from "./address/dns-name.ts";
import { formatMailbox, shownName } from "./address/format-address.ts";
import { openCorrespondent, readReplyToken } from "./address/reply-address.ts";
import { srsForward, srsReverse } from "./address/srs.ts";
import { readArcChain } from "./arc/arc-chain.ts";
import { dmarcPassAuthor, readArcResults } from "./arc/arc-results.ts";
import { arcSign } from "./arc/arc-set.ts";
import { fromBase32, toBase32 } from "./base32.ts";
import { stuff, unstuff, withStuffedHeader } from "./body/dot-stuffing.ts";
import { rewriteParts } from "./body/rewrite-parts.ts";
import { decodeQuotedPrintable, toBase64Lines } from "./body/transfer-encoding.ts";
import { canonicalBody } from "./dkim/dkim-body.ts";
import { canonicalField, relaxedField, signedText, simpleBodyHash, withoutSignature } from "./dkim/dkim-canonical.ts";
import { dkimSign } from "./dkim/dkim-sign.ts";
import { isSameDkimKey, readTagList } from "./dkim/dns-records.ts";
import { readKeyRecord } from "./dkim/key-record.ts";
import { readSignatureField } from "./dkim/verify-signature.ts";
import { isDmarcRecord, readDmarcRecord } from "./dmarc/dmarc-record.ts";
import { parseEsmtpParams } from "./esmtp-params.ts";
import { decodeEncodedWords } from "./header/encoded-word.ts";
import { formatTextField } from "./header/header-field.ts";
import { fieldValue, headerLimits, readHeader } from "./header/headers.ts";
import { findMessageIds, parseMessageId } from "./header/message-id.ts";
import { messageIdKeys, openMessageId, sealMessageId } from "./header/message-id-map.ts";
import { rawFields } from "./header/raw-fields.ts";
import { rewriteForwardHeader } from "./header/rewrite-forward-header.ts";
import { formatReceived, readDate } from "./header/trace-fields.ts";
import {
  bodyShapes,
  fill,
  headerShapes,
  nested,
  nestedParts,
  nestings,
  type Shape,
  textShapes,
} from "./hostile-shapes.testing.ts";
import { growthOf } from "./linear-cost.testing.ts";
import { MailSyntaxError } from "./mail-syntax-error.ts";
import { composeMessage } from "./message/compose-message.ts";
import { rewriteReplyHeader } from "./message/reply-message.ts";
import { readStsId } from "./mta-sts.ts";
import { buildDeliveryReport } from "./report/dsn.ts";
import { isDeliveryReport } from "./report/received-report.ts";
import { parseEnhancedStatus, parseReply } from "./report/status-code.ts";
import { parseRetrySchedule } from "./retry-schedule.ts";
import { expand, parseDomainSpec, targetName } from "./spf/domain-spec.ts";
import { parseIpAddress } from "./spf/ip-address.ts";
import { parseSpfRecord } from "./spf/spf-record.ts";

const isLong = process.env.LONG_ROUNDS === "1";
const aFewMinutes = isLong ? 3_600_000 : 240_000;

const { bytesMax: HEADER, fieldBytesMax: FIELD } = headerLimits;
/** Maximum length of a command line (RFC 5321 §4.5.3.1.4) with SMTPUTF8 parameters. */
const LINE = 2048;
/** Maximum length of a TXT record, which is that of a DNS answer. */
const RECORD = 65_535;
const SUBJECT = 1000;
/** Bytes of the largest body; `npm test` uses a fiftieth of it. */
const BODY = (isLong ? 25 : 0.5) * 1024 * 1024;
/** Maximum characters of composed text, one MiB; `npm test` uses an eighth of it. */
const TEXT = isLong ? 1024 * 1024 : 128 * 1024;

const now = new Date("2026-11-22T12:00:00Z");
const secret = Buffer.alloc(32, 7);
const latin1 = (text: string) => Buffer.from(text, "latin1");
const messageIds = messageIdKeys(secret, "kauke.test");
const srs = {
  domain: "kauke.test",
  isOurDomain: (domain: string) => domain === "kauke.test",
  hashes: [(data: string) => createHash("sha256").update(data).digest()] as const,
  now,
};
const { privateKey } = generateKeyPairSync("ed25519");
const dkimKey = { domain: "kauke.test", selector: "a", algorithm: "ed25519-sha256", privateKey } as const;

function forward(bytes: Buffer): void {
  const { fields, end } = readHeader(bytes, headerLimits);
  rewriteForwardHeader({
    header: bytes.subarray(0, end),
    fields,
    aliasAddress: "shop@kauke.test",
    envelopeFrom: "a@b.test",
    isVerified: true,
    replyAddressOf: () => "r.aaaaaaaaaaaaaaaaaaaa@kauke.test",
    removeResultsOf: "mx.kauke.test",
    messageIds,
  });
}

function answer(bytes: Buffer): void {
  const { fields, end } = readHeader(bytes, headerLimits);
  rewriteReplyHeader({
    header: bytes.subarray(0, end),
    fields,
    aliasAddress: "shop@kauke.test",
    aliasName: null,
    correspondentOf: () => null,
    ownDomains: ["owner.example"],
    messageIds,
    newMessageId: "<a@kauke.test>",
    receivedAt: now,
  });
}

function report(text: string): void {
  const header = latin1(`Subject: ${text}\r\nFrom: ${text}\r\n`);
  buildDeliveryReport({
    to: "ann@example.org",
    aliasAddress: "shop@kauke.test",
    reportingMta: text,
    enhancedStatus: text,
    arrivedAt: now,
    at: now,
    messageId: "<a@kauke.test>",
    boundary: text,
    original: { header, fields: readHeader(header).fields },
  });
}

const partsOf = (type: string, body: string | Buffer) =>
  rewriteParts({
    header: latin1(`Content-Type: multipart/mixed; boundary=b${type}\r\n`),
    body: Buffer.isBuffer(body) ? body : latin1(body),
    token: "abcdefgh",
    domain: "kauke.test",
  });
const field = (name: string, read: (header: Buffer) => unknown) => (text: string) =>
  read(latin1(`From: mailer-daemon@x\r\n${name}: ${text}\r\n\r\n`));
const spfMacros = parseDomainSpec("%{l1r-}.%{H}.%{s2+-/}.%{d}")?.pieces ?? [];
const partField = (name: string) => (text: string) => partsOf("", `--b\r\n${name}: ${text}\r\n\r\n--b--\r\n`);

type Reader = (text: string) => unknown;

/** Parsers of a line, a value or a text, whose cost is measured. */
const texts: Record<string, [largest: number, read: Reader]> = {
  "an address": [FIELD, parseAddress],
  "the argument of MAIL and RCPT": [LINE, (text) => parsePathArgument(`<${text}`)],
  "parameters of MAIL": [LINE, (text) => parseEsmtpParams(text, "MAIL")],
  "parameters of RCPT": [LINE, (text) => parseEsmtpParams(text, "RCPT")],
  "an address list": [FIELD, readAddressList],
  "encoded words": [FIELD, decodeEncodedWords],
  "message identifiers": [FIELD, (text) => findMessageIds(text, 1000)],
  "one message identifier": [FIELD, parseMessageId],
  "an identifier to be sealed": [FIELD, (text) => sealMessageId(`<${text}>`, messageIds)],
  "an identifier to be opened": [FIELD, (text) => openMessageId(`<${text}@kauke.test>`, messageIds)],
  base32: [FIELD, fromBase32],
  "bytes for base32": [FIELD, (text) => toBase32(latin1(text))],
  "SRS addresses of other forwarders": [FIELD, (text) => srsForward(`${text}@a.test`, srs)],
  "our SRS addresses": [FIELD, (text) => srsReverse(`${text}@kauke.test`, srs)],
  "a reply token": [FIELD, readReplyToken],
  "a sealed correspondent": [FIELD, (text) => openCorrespondent("a".repeat(20), latin1(text))],
  "an SMTP reply": [FIELD, parseReply],
  "an enhanced status": [FIELD, parseEnhancedStatus],
  "a date": [FIELD, readDate],
  "a retry schedule": [FIELD, parseRetrySchedule],
  "a tag list": [RECORD, (text) => readTagList(`v=DKIM1;${text}`, "DKIM1")],
  "a DKIM record": [RECORD, (text) => isSameDkimKey(text, { domain: "a.test", selector: "s", text: "v=DKIM1; p=a" })],
  "a key record": [RECORD, readKeyRecord],
  "a key": [RECORD, (text) => readKeyRecord(`p=${text}`)],
  "a signature": [FIELD, (text) => readSignatureField({ name: "", text: `DKIM-Signature:${text}` })],
  "tags of a signature": [
    FIELD,
    (text) => readSignatureField({ name: "", text: `DKIM-Signature: a=rsa-sha256; d=a; s=b; h=${text}; b=${text}` }),
  ],
  "a field that was signed": [FIELD, (text) => canonicalField(`${text}:${text}`, "relaxed")],
  "a signature without its value": [FIELD, (text) => withoutSignature(`DKIM-Signature:${text}`)],
  "ARC results": [FIELD, (text) => [readArcResults(text), dmarcPassAuthor(`dmarc=pass ${text}`)]],
  "a DMARC record": [RECORD, (text) => [isDmarcRecord(text), readDmarcRecord(text), readDmarcRecord(`rua=${text}`)]],
  "an MTA-STS record": [RECORD, (text) => readStsId([`v=STSv1; id=${text}`])],
  "a domain name": [FIELD, (text) => [toALabels(text), readDnsName(text)]],
  "an SPF record": [RECORD, (text) => parseSpfRecord(`v=spf1 ${text}`)],
  "a domain in an SPF record": [RECORD, (text) => parseDomainSpec(`${text}.b.test`)],
  "a value for the macros of SPF": [RECORD, (text) => targetName(expand(spfMacros, () => text))],
  "an address in an SPF record": [RECORD, parseIpAddress],
  "a display name": [FIELD, (text) => shownName({ name: text, address: `${text}@b.test`, isVerified: true })],
  "a mailbox to be written": [SUBJECT, (text) => formatMailbox({ name: text, address: "a@b.test" })],
  "a subject to be written": [SUBJECT, (text) => formatTextField("Subject", text)],
  "a trace field": [
    LINE,
    (text) =>
      formatReceived({
        helo: text,
        clientAddress: text,
        by: text,
        protocol: "SMTP",
        id: text,
        forAlias: text,
        at: now,
      }),
  ],
  "a relaxed field": [FIELD, (text) => relaxedField(`Subject:${text}`)],
  "a delivery report": [FIELD, report],
  "a composed message": [
    TEXT,
    (text) =>
      composeMessage({ from: "a@b.test", to: ["c@d.test"], subject: "", text, at: now, messageId: "<a@b.test>" }),
  ],
  "Content-Type of a message": [FIELD, (text) => partsOf(` ${text}`, "--b\r\n\r\n--b--\r\n")],
  ...Object.fromEntries(
    ["From", "To", "Subject", "References", "List-Unsubscribe", "Authentication-Results"].map((name) => [
      `${name} to be forwarded`,
      [FIELD, field(name, forward)],
    ]),
  ),
  ...Object.fromEntries(
    ["To", "References", "Date", "Auto-Submitted"].map((name) => [
      `${name} of an answer`,
      [FIELD, field(name, answer)],
    ]),
  ),
  ...Object.fromEntries(
    ["Content-Type", "Subject", "From"].map((name) => [
      `${name} of what may be a report`,
      [FIELD, field(name, isDeliveryReport)],
    ]),
  ),
  ...Object.fromEntries(
    ["Content-Type", "Content-ID", "Content-Disposition", "Content-Transfer-Encoding"].map((name) => [
      `${name} of a part`,
      [FIELD, partField(name)],
    ]),
  ),
};

/** Parsers of a header, whose cost is measured. */
const headers: Record<string, (header: Buffer) => unknown> = {
  "fields and their values": (header) => {
    for (const parsed of readHeader(header, headerLimits).fields) {
      fieldValue(header, parsed);
      fieldBytes(header, parsed);
    }
  },
  "addresses of all fields": (header) => {
    const { fields } = readHeader(header, headerLimits);
    for (const name of ["from", "to"]) addressesOf({ header, fields }, name);
  },
  "a header to be forwarded": forward,
  "the header of an answer": answer,
  "the header of what may be a report": isDeliveryReport,
  "dots in a header": withStuffedHeader,
  "a header to be signed": (header) =>
    dkimSign({ header, fields: readHeader(header, headerLimits).fields, bodyHash: secret, signedAt: now }, [dkimKey]),
  "a header that was signed": (header) => {
    const fields = rawFields(header.toString("latin1"));
    const names = fields.map(({ name }) => name);
    signedText(fields, { names, form: "relaxed", signature: "" });
  },
  "a chain of seals": (header) =>
    readArcChain(rawFields(header.toString("latin1")).map(({ text }) => ({ name: "arc-seal", text }))),
  "a chain to be sealed": (header) => {
    const { fields } = readHeader(header, headerLimits);
    return arcSign({ header, fields, bodyHash: secret, signedAt: now, results: "a", status: "fail" }, dkimKey);
  },
};

function drain(pieces: Iterator<Buffer>): void {
  while (!pieces.next().done);
}

/** Parsers of a body, whose cost is measured. */
const bodies: Record<string, (body: Buffer) => unknown> = {
  "a simple body": (body) => {
    drain(canonicalBody(body, "simple"));
  },
  "a relaxed body": (body) => {
    drain(canonicalBody(body, "relaxed"));
  },
  "the hash of a simple body": simpleBodyHash,
  "dots to be doubled": stuff,
  "dots to be dropped": unstuff,
  "base64 to be written": toBase64Lines,
  "quoted-printable": (body) => decodeQuotedPrintable(body.toString("latin1")),
  "parts of a message": (body) => partsOf("", body),
};

/** Runs a parser and ignores MailSyntaxError: the time until a parser refuses its input counts too. */
const safely =
  <T>(read: (input: T) => unknown) =>
  (input: T): unknown => {
    try {
      return read(input);
    } catch (thrown) {
      if (thrown instanceof MailSyntaxError) return null;
      throw thrown;
    }
  };

/** @returns the shapes whose cost is not linear, each with the measurement */
async function nonLinearShapes<T>(
  shapes: readonly Shape[],
  toInput: (text: string) => T,
  [largest, read]: [largest: number, read: (input: T) => unknown],
): Promise<string[]> {
  const found: string[] = [];
  for (const shape of shapes) {
    const verdict = await growthOf({ make: (size) => toInput(fill(shape, size)), run: safely(read), largest });
    if (verdict !== "linear") found.push(`${shape.name}: ${verdict}`);
  }
  return found;
}

/** `npm test` gives each parser every third shape, and each shape to every third parser. */
const inTurn = (shapes: readonly Shape[], place: number) => shapes.filter((_, at) => isLong || (at + place) % 3 === 0);

describe("doubling the hostile input about doubles the time:", () => {
  it.each(Object.entries(texts))("%s", { timeout: aFewMinutes }, async (name, reader) => {
    const shapes = inTurn(textShapes, Object.keys(texts).indexOf(name));
    expect(await nonLinearShapes(shapes, (text) => text, reader)).toEqual([]);
    for (const pair of nestings) {
      const [largest, read] = reader;
      const verdict = await growthOf({ make: (size) => nested(pair, size), run: safely(read), largest });
      expect([pair, verdict]).toEqual([pair, "linear"]);
    }
  });

  it.each(Object.entries(headers))("%s", { timeout: aFewMinutes }, async (name, read) => {
    const shapes = inTurn(headerShapes, Object.keys(headers).indexOf(name));
    expect(await nonLinearShapes(shapes, latin1, [HEADER, read])).toEqual([]);
  });

  it.each(Object.entries(bodies))("%s", { timeout: aFewMinutes }, async (name, read) => {
    const shapes = inTurn(bodyShapes, Object.keys(bodies).indexOf(name));
    expect(await nonLinearShapes(shapes, latin1, [BODY, read])).toEqual([]);
    expect(await growthOf({ make: (size) => latin1(nestedParts(size)), run: read, largest: BODY })).toBe("linear");
  });
});
