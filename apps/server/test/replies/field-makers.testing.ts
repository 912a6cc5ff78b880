/**
 * Every function that generates header fields, each called with a test's text wherever input of a stranger can occur.
 * New functions are added to the table `makers`.
 */
import { generateKeyPairSync } from "node:crypto";
import {
  arcSign,
  buildDeliveryReport,
  composeMessage,
  type DkimKey,
  dkimSign,
  type FieldText,
  fieldTextBytes,
  formatAddressField,
  formatReceived,
  formatResultsField,
  headerField,
  headerFieldOfLines,
  messageIdKeys,
  type ReceivedTrace,
  readHeader,
  resultsValue,
  rewriteForwardHeader,
  rewriteParts,
  rewriteReplyHeader,
  simpleBodyHash,
} from "@kauke/mail-rfc";
import { ownMessage } from "@kauke/server/core/own-mail";
import { writePreviewReply } from "@kauke/server/core/preview/preview-reply";
import { outerMessage } from "@kauke/server/mail/message/encrypted-copy";
import { messageSigner } from "@kauke/server/mail/message/message-signer";
import { type RewriteSource, rewrite } from "@kauke/server/mail/message/rewrite";

export const at = new Date("2026-11-22T12:00:00Z");
const { privateKey } = generateKeyPairSync("ed25519");
const rsaKey = generateKeyPairSync("rsa", { modulusLength: 1024 }).privateKey;
const key: DkimKey = { domain: "kauke.test", selector: "k1", algorithm: "ed25519-sha256", privateKey };
const replyKey = Buffer.alloc(32, 3);
const messageIds = messageIdKeys(replyKey, "kauke.test");
const bodyHash = simpleBodyHash(Buffer.from("body\r\n"));
const trace: ReceivedTrace = {
  helo: "client.example",
  clientAddress: "192.0.2.1",
  by: "mail.kauke.test",
  protocol: "ESMTP",
  id: "0d9c",
  forAlias: "shop@kauke.test",
  at,
};

export type FieldEncoding = "utf8" | "latin1";

/** Makes header fields from a text. @returns the bytes as they are sent and the field names that may be in them */
export type Maker = (
  text: string,
  encoding: FieldEncoding,
) => readonly [Buffer, readonly string[]] | Promise<readonly [Buffer, readonly string[]]>;

const block = (lines: readonly string[], encoding: FieldEncoding) => {
  const header = Buffer.from(lines.map((line) => `${line}\r\n`).join(""), encoding);
  return { header, fields: readHeader(header).fields };
};
const headerOf = (message: Buffer) => message.subarray(0, readHeader(message).end);
const one = (name: string, field: FieldText) => [fieldTextBytes(field), [name]] as const;

const received = (change: (text: string) => Partial<ReceivedTrace>): Maker => {
  return (text) => one("received", formatReceived({ ...trace, ...change(text) }));
};

/** A header whose every field is rewritten, so that all of the result is written by us. */
const hostileHeader = (text: string) => [
  `From: "${text}" <ann${text}@sender.example>, ${text}`,
  `Reply-To: ${text} <${text}@sender.example>`,
  `To: shop+${text}@kauke.test, =?utf-8?B?${Buffer.from(text).toString("base64")}?= <bo@b.example>`,
  `Cc: "${text}"@c.example, c@${text}.example, =?x${text}?Q?=0D=0AX: y?= <c@c.example>`,
  `In-Reply-To: <1${text}@sender.example>`,
  `References: <2@${text}> <${text}@sender.example>`,
  `List-Unsubscribe: <mailto:leave@l.example?subject=${text}>, <https://l.example/${text}>`,
];

function forwardSource(
  text: string,
  encoding: FieldEncoding,
  change: Partial<RewriteSource["envelope"]> = {},
): RewriteSource & { replyKey: Buffer } {
  const { header } = block(hostileHeader(text), encoding);
  const wire = Buffer.concat([header, Buffer.from("\r\nbody\r\n")]);
  const envelope = {
    envelopeFrom: "ann@sender.example",
    helo: text,
    clientAddress: "192.0.2.1",
    protocol: "ESMTP" as const,
    receivedAt: at,
    eightBit: true,
    smtpUtf8: true,
    authentication: { spf: "pass", dkim: "none", dmarc: "none", arc: "none", isAligned: false, results: text } as const,
    ...change,
  };
  return {
    messageId: "0d9c",
    envelope,
    wire,
    header: readHeader(wire),
    aliasAddress: "shop@kauke.test",
    aliasId: "7",
    replyKey,
    mayNameSender: true,
  };
}

export const rules = {
  mailHost: "mail.kauke.test",
  domains: new Set(["kauke.test"]),
  srsHash: () => Buffer.alloc(20, 1),
};
const forwarded = ["from", "reply-to", "to", "cc", "in-reply-to", "references", "list-unsubscribe"];
const signer = messageSigner([key], () => at);

export const makers: Record<string, Maker> = {
  "a field of words": (text) => one("x-any", headerField("X-Any", text.split(" "))),
  "a field of lines": (text) => one("x-any", headerFieldOfLines("X-Any", ["a", text])),
  "a mailbox' name": (text) => one("from", formatAddressField("From", [{ name: text, address: "a@b.example" }])),
  "a mailbox' local part": (text) =>
    one("to", formatAddressField("To", [{ name: null, address: `${text}@b.example` }])),
  "a mailbox' quoted local part": (text) =>
    one("to", formatAddressField("To", [{ name: null, address: `"${text}"@b.example` }])),
  "a mailbox' domain": (text) => one("to", formatAddressField("To", [{ name: "x", address: `a@${text}.example` }])),
  "Received: HELO": received((helo) => ({ helo })),
  "Received: addresses and names": received((text) => ({ clientAddress: text, clientName: text, by: text })),
  "Received: identifier and alias": received((text) => ({ id: text, forAlias: `${text}@kauke.test` })),
  "Authentication-Results: values": (text) => {
    const properties = ["header.d", "header.s", "smtp.mailfrom"].map((name) => [name, text] as const);
    return one(
      "authentication-results",
      formatResultsField(resultsValue("mx.test", [{ method: "dkim", result: text, properties }])),
    );
  },
  "Authentication-Results: as stored by older versions": (text) =>
    one("authentication-results", formatResultsField(`mx.test;\r\n spf=pass smtp.mailfrom="${text}";\r\n dkim=none`)),
  "a composed message": (text) => {
    const subject = `${text} ${text}`;
    const made = composeMessage({
      from: "a@b.example",
      to: ["c@d.example"],
      subject,
      text,
      at,
      messageId: "<1@b.example>",
    });
    return [
      headerOf(made),
      ["date", "from", "to", "subject", "message-id", "mime-version", "content-type", "content-transfer-encoding"],
    ];
  },
  "a composed message's addresses": (text) => {
    const made = composeMessage({
      from: `${text}@b.example`,
      to: [`c@${text}`],
      subject: "",
      text,
      at,
      messageId: `<${text}@b.example>`,
    });
    return [
      headerOf(made),
      ["date", "from", "to", "subject", "message-id", "mime-version", "content-type", "content-transfer-encoding"],
    ];
  },
  "a delivery report": (text, encoding) => {
    const addresses = { to: `${text}@b.example`, aliasAddress: "shop@kauke.test", reportingMta: text };
    const texts = { enhancedStatus: text, boundary: text, messageId: `<${text}@kauke.test>` };
    const original = block([`Subject: ${text}`], encoding);
    const made = buildDeliveryReport({ ...addresses, ...texts, original, arrivedAt: at, at });
    return [
      headerOf(made),
      ["from", "to", "subject", "date", "message-id", "auto-submitted", "mime-version", "content-type"],
    ];
  },
  "a delivery report's own fields": (text) => {
    const original = block([], "utf8");
    const texts = { enhancedStatus: text, boundary: "b", messageId: "<1@kauke.test>", reportingMta: text };
    const made = buildDeliveryReport({
      to: "a@b.example",
      aliasAddress: "shop@kauke.test",
      ...texts,
      original,
      arrivedAt: at,
      at,
    });
    const status = made.subarray(made.indexOf("Reporting-MTA"), made.indexOf("--=_b", made.indexOf("Reporting-MTA")));
    const names = ["reporting-mta", "arrival-date", "final-recipient", "action", "status", "last-attempt-date"];
    return [
      Buffer.from(
        status
          .toString()
          .replace("\r\n\r\n", "\r\n")
          .replace(/\r\n\r\n$/, "\r\n"),
      ),
      names,
    ];
  },
  "a message of our own": (text) => {
    const head = {
      from: "no-reply@kauke.test",
      mailbox: `${text}@b.example`,
      messageId: "<1@kauke.test>",
      boundary: "b",
      at,
    };
    const made = ownMessage(head, { subject: "Hello", blocks: [] });
    const names = ["auto-submitted", "x-auto-response-suppress", "mime-version", "content-type"];
    return [headerOf(made), ["date", "from", "to", "subject", "message-id", ...names]];
  },
  "a forwarded header": (text, encoding) => {
    const made = rewriteForwardHeader({
      ...block(hostileHeader(text), encoding),
      aliasAddress: "shop@kauke.test",
      envelopeFrom: text,
      isVerified: false,
      replyAddressOf: () => "r.aaaaaaaaaaaaaaaaaaaa@kauke.test",
      removeResultsOf: "mail.kauke.test",
      messageIds,
    });
    return [made.header, forwarded];
  },
  "a forwarded message, whole": (text, encoding) => {
    const { header } = rewrite(forwardSource(text, encoding), rules);
    return [header, ["delivered-to", "authentication-results", "received", "date", "message-id", ...forwarded]];
  },
  "the header of an encrypted message": (text, encoding) => {
    const authentication = { spf: text, dkim: text, dmarc: text, arc: text, isAligned: true, results: text } as never;
    const source = forwardSource(text, encoding, { authentication });
    const { header } = outerMessage(source, rewrite(source, rules), "mail.kauke.test");
    const names = ["subject", "message-id", "mime-version", "content-type", "date"];
    return [header, ["delivered-to", "kauke-sealed", "authentication-results", "from", "reply-to", "to", ...names]];
  },
  "a reply's header": (text, encoding) => {
    const lines = [
      `To: ${text} <bo@b.example>, ${text}@b.example`,
      `Cc: ${text}`,
      `Auto-Submitted: auto-replied; ${text}`,
    ];
    const ids = [
      `Message-ID: <${text}@kauke.test>`,
      `In-Reply-To: <${text}@b.example>`,
      `References: <${text}@kauke.test> <v.${text}@kauke.test>`,
    ];
    const made = rewriteReplyHeader({
      ...block([...lines, ...ids, `Date: ${text}`, `MIME-Version: ${text}`], encoding),
      aliasAddress: "shop@kauke.test",
      aliasName: text,
      correspondentOf: (address) => ({ name: text, address }),
      ownDomains: ["owner.example"],
      messageIds,
      newMessageId: "<new@kauke.test>",
      receivedAt: at,
    });
    return [
      made.header,
      ["from", "to", "cc", "date", "message-id", "in-reply-to", "references", "auto-submitted", "mime-version"],
    ];
  },
  "the parts of a reply": (text, encoding) => {
    const type = `Content-Type: multipart/related; boundary=b; type="${text}"; start="<${text}>"; protocol=${text}`;
    const { header } = block([type], encoding);
    const body = Buffer.from(`--b\r\nContent-ID: <${text}>\r\n\r\nx\r\n--b--\r\n`, encoding);
    return [rewriteParts({ header, body, token: "aaaa", domain: "kauke.test" }).header, ["content-type"]];
  },
  "a message in the preview inbox": (text, encoding) => {
    const { header } = block(
      [
        `From: ${text} <a@b.example>`,
        `Cc: ${text}@c.example, ${text} <d@d.example>`,
        `Subject: ${text}`,
        `Message-ID: <${text}@b.example>`,
        `References: <${text}@b.example>`,
      ],
      encoding,
    );
    const arrival = { rcptTo: "jonas@inbox.example", raw: Buffer.concat([header, Buffer.from("\r\nhi\r\n")]) };
    const written = writePreviewReply(arrival as never, { text, all: true, at, random: Buffer.alloc(16, 1) });
    const names = [
      "cc",
      "in-reply-to",
      "references",
      "date",
      "from",
      "to",
      "subject",
      "message-id",
      "mime-version",
      "content-type",
      "content-transfer-encoding",
    ];
    return [written === null ? Buffer.alloc(0) : headerOf(written.raw), names];
  },
  "an ARC set": async (text) => {
    const source = {
      ...block(["From: a@b.example"], "utf8"),
      bodyHash,
      signedAt: at,
      results: `mx.test; ${text}`,
      status: "none" as const,
    };
    return [
      fieldTextBytes(await arcSign(source, key)),
      ["arc-seal", "arc-message-signature", "arc-authentication-results"],
    ];
  },
  "an ARC set as the signer writes it": async (text) => {
    const { header } = block(["From: a@b.example"], "utf8");
    const message = { domain: "kauke.test", header, wire: Buffer.from("body\r\n"), bodyStart: 0 };
    const found = { spf: "pass", dkim: "none", dmarc: "none", arc: "none", isAligned: true, results: text } as const;
    const rsa: DkimKey = { ...key, algorithm: "rsa-sha256", privateKey: rsaKey };
    return [
      await messageSigner([rsa], () => at).signArc(message, found),
      ["arc-seal", "arc-message-signature", "arc-authentication-results"],
    ];
  },
  "a DKIM signature": async (text) => {
    const source = { ...block([`From: ${text}`, `Subject: ${text}`], "utf8"), bodyHash, signedAt: at };
    const own = await dkimSign(source, [{ ...key, domain: `${text}.test`, selector: text }]);
    return [fieldTextBytes(own), ["dkim-signature"]];
  },
  "a DKIM signature over hostile fields": async (text) => {
    const { header } = block([`From: ${text}`, `Subject: ${text}`], "utf8");
    return [
      await signer.sign({ domain: "kauke.test", header, wire: Buffer.from("body\r\n"), bodyStart: 0 }),
      ["dkim-signature"],
    ];
  },
};
