/**
 * Messages that are expensive for MIME parsers, each of any size: content whose limits apply per field or per part,
 * repeated as often as a message may contain it, and nestings of every kind to the maximum depth.
 */

export interface HostileMessage {
  /** Header of CRLF lines, without the blank line. */
  header: string;
  /** Body in Latin-1, plain form (not dot-stuffed). */
  body: string;
}

type Make = (size: number) => HostileMessage;

/** Maximum parts of one message. */
const PARTS = 1000;
/** Bytes of all calendars of a message, just below the limit. */
const CALENDAR_BYTES = 1_040_000;
/** Maximum UTF-16 units parsed of one field. */
const FIELD = 8192;

const mixed = (body: string, boundary = "b"): HostileMessage => ({
  header: `From: a@b.test\r\nContent-Type: multipart/mixed; boundary="${boundary}"\r\n`,
  body,
});
const repeated = (piece: string, size: number): string => piece.repeat(Math.max(1, Math.floor(size / piece.length)));

/** Builds as many parts as fit, each with two fields of the maximum parsed length, filled with `filler`. */
const fields =
  (filler: string, start = "text/plain"): Make =>
  (size) => {
    const value = repeated(filler, FIELD - start.length - 2);
    const part = `--b\r\nContent-Type: ${start}${value}\r\nContent-Disposition: inline${value}\r\n\r\nx\r\n`;
    return mixed(part.repeat(Math.max(1, Math.min(PARTS - 1, Math.floor(size / part.length)))));
  };

/** Builds parts that consist only of a header, together as large as the message. */
const headers =
  (line: string, end = "\r\n"): Make =>
  (size) => {
    const bytes = Math.max(65_000, size / (PARTS - 1));
    const part = `--b\r\n${repeated(line, bytes)}${end}\r\n`;
    return mixed(repeated(part, size));
  };

/** Builds nested multiparts, each with its own boundary, around a filler. */
const multiparts =
  (levels: number, { boundaryOf, filler }: { boundaryOf: (level: number) => string; filler: string }): Make =>
  (size) => {
    const inner = Array.from({ length: levels - 1 }, (_, at) => at + 1).map(
      (level) => `--${boundaryOf(level - 1)}\r\nContent-Type: multipart/mixed; boundary="${boundaryOf(level)}"\r\n\r\n`,
    );
    const opening = `${inner.join("")}--${boundaryOf(levels - 1)}\r\n\r\n`;
    return mixed(`${opening}${repeated(filler, size)}`, boundaryOf(0));
  };

/** Builds nested attached messages that declare an encoding but are not encoded. */
const declaredEncoded =
  (encodings: readonly string[], filler = "x\r\n", type = "message/rfc822"): Make =>
  (size) => {
    const heads = Array.from(
      { length: 40 },
      (_, at) => `Content-Type: ${type}\r\nContent-Transfer-Encoding: ${encodings[at % encodings.length]}\r\n\r\n`,
    );
    const [first = "", ...rest] = heads;
    return { header: `From: a@b.test\r\n${first.slice(0, -2)}`, body: `${rest.join("")}${repeated(filler, size)}` };
  };

const base64 = (text: string) => Buffer.from(text, "latin1").toString("base64");
const quoted = (text: string) => text.replaceAll("=", "=3D");

/** Builds nested attached messages that are encoded at each level; the innermost is as large as the limit permits. */
const encoded =
  (encoding: string, encode: (text: string) => string): Make =>
  (size) => {
    const head = `Content-Type: message/rfc822\r\nContent-Transfer-Encoding: ${encoding}\r\n`;
    let body = "x".repeat(Math.max(1, size / 16));
    for (let level = 0; level < 30 && body.length * 1.4 + 200 < size; level += 1) body = encode(`${head}\r\n${body}`);
    return { header: `From: a@b.test\r\n${head}`, body };
  };

const SIGNED_DATA_START = "308006092a864886f70d010702a08030800201013100308006092a864886f70d010701a080";

/** Builds CMS SignedData (RFC 5652) whose content is one octet string. */
function signedData(content: string): string {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length);
  return `${Buffer.from(`${SIGNED_DATA_START}0484`, "hex").toString("latin1")}${length.toString("latin1")}${content}`;
}

const pieces = (size: number): string =>
  Buffer.from(`${SIGNED_DATA_START}2480`, "hex").toString("latin1") + repeated("\u{4}\u{1}A", size);

const signedHead = "Content-Type: application/pkcs7-mime\r\n";

const signed: Make = (size) => {
  let body = "x".repeat(size);
  for (let level = 0; level < 30; level += 1) body = signedData(`${signedHead}\r\n${body}`);
  return { header: `From: a@b.test\r\n${signedHead}`, body };
};

const signedParts: Make = (size) => {
  const part = `--b\r\n${signedHead}\r\n${pieces(Math.max(60, size / PARTS))}\r\n`;
  return mixed(repeated(part, size));
};

const calendars =
  (lines: string): Make =>
  (size) => {
    const count = Math.min(PARTS - 1, Math.max(1, Math.floor(Math.min(size, CALENDAR_BYTES) / lines.length / 4)));
    const each = Math.max(lines.length, Math.min(size, CALENDAR_BYTES) / count);
    return mixed(`--b\r\nContent-Type: text/calendar\r\n\r\n${repeated(lines, each)}\r\n`.repeat(count));
  };

const parts =
  (head: string, filler: string, count: number): Make =>
  (size) => {
    const part = `--b\r\n${head}\r\n\r\n${repeated(filler, Math.max(filler.length, size / count - 100))}\r\n`;
    return mixed(part.repeat(count - 1));
  };

const ambiguous =
  (field: string): Make =>
  (size) => ({
    header: `From: a@b.test\r\n${"Content-Type: text/plain\r\n".repeat(2)}`,
    body: repeated(`Content-Type: ${field}\r\n`, size),
  });

const html: Make = (size) =>
  mixed(
    `--b\r\nContent-ID: <a@b>\r\n\r\nx\r\n--b\r\nContent-Type: text/html\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n${repeated("cid:a@b ", size)}`,
  );

const longBoundary = (level: number) => "b".repeat(level + 10);
const distinct = Array.from({ length: 2000 }, (_, at) => `;a=${at}`).join("");

/** Builders of hostile messages by name. Every message is within the limits for received mail. */
export const hostileMessages: Readonly<Record<string, Make>> = {
  "attached messages declared as quoted-printable": declaredEncoded(["quoted-printable"]),
  "attached messages declared as base64": declaredEncoded(["base64"]),
  "attached messages declared as both in turn": declaredEncoded(["quoted-printable", "base64"], "=41a"),
  "multiparts declared as quoted-printable": declaredEncoded(
    ["quoted-printable"],
    "x\r\n",
    "multipart/mixed; boundary=q",
  ),
  "attached messages in base64": encoded("base64", base64),
  "attached messages in quoted-printable": encoded("quoted-printable", quoted),
  "attached messages in 8bit": declaredEncoded(["8bit"]),
  "signed content in signed content": signed,
  "signed content in segments of one octet": (size) => ({ header: signedHead, body: pieces(size) }),
  "parts with signed content in segments": signedParts,
  "fields of semicolons": fields(";"),
  "fields of semicolons and blanks": fields("; "),
  "fields of blanks": fields(" ", "text/plain;"),
  "fields of parameters": fields(";a=b"),
  "fields of parameters in parts": fields(";a*1=%41"),
  "fields of distinct parameters": fields(distinct),
  "fields of quotes": fields(';a="\\"', "text/plain;name="),
  "fields of comments": fields("(a);b="),
  "fields of encoded words": fields("=?utf-8?q?=FF?= =?x?q?a?= ", 'text/plain;name="'),
  "headers of short fields": headers("a:\r\n"),
  "headers of folds": headers("\r\n ", ""),
  "headers that do not end": headers("a", ""),
  "headers of bare carriage returns": headers("a:\r", ""),
  "a boundary within lines": (size) => mixed(repeated("--b", size)),
  "a long boundary within lines": (size) => mixed(repeated("--bbbbbbbbbb", size), "bbbbbbbbbb"),
  "lines that begin like a boundary": (size) => mixed(repeated("--bx\r\n", size)),
  "lines that end in the middle of a boundary": (size) => mixed(repeated("\n--", size), "bq"),
  "line feeds": multiparts(8, { boundaryOf: (level) => `b${level}`, filler: "\n" }),
  "dashes at every level": multiparts(19, { boundaryOf: (level) => "-".repeat(level + 10), filler: "-----b" }),
  "lines like delimiters of every level": multiparts(19, {
    boundaryOf: longBoundary,
    filler: `--${longBoundary(18)}x\r\n`,
  }),
  "text at every level": multiparts(19, { boundaryOf: longBoundary, filler: `${"a".repeat(76)}\r\n` }),
  "parts without content": (size) => mixed(repeated("--b\r\n\r\n", size)),
  "fields of parts in an ambiguous message": ambiguous(`text/x${repeated(";a=b", 500)}`),
  "encoded words in an ambiguous message": ambiguous(`text/x;name="${repeated("=?x?q?a?= ", 500)}`),
  "calendars of addresses": calendars("VOTER:a@b\r\n"),
  "calendars of lists of addresses": calendars(`VOTER;A=${repeated("a@b,", 16_000)}:a@b\r\n`),
  "calendars of long lines": calendars(`VOTER;A="${repeated("a@b,", 900)}":a@b\r\n`),
  "calendars of folds": calendars("VOT\r\n ER\r\n :a@b\r\n"),
  "reports of recipients": parts(
    "Content-Type: message/delivery-status",
    "Final-Recipient: rfc822;a@b.test\r\n",
    Math.floor(PARTS / 2),
  ),
  "HTML that links to parts": html,
};
