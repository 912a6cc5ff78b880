/**
 * Texts that are expensive for parsers, as data. Each is a piece repeated to any size between a start and an end: a run
 * that a regular expression matches before it fails at `end`, a separator with nothing to separate, an opening
 * character that is repeated and never closed.
 */

export interface Shape {
  name: string;
  start?: string;
  /** Text to be repeated. */
  piece: string;
  end?: string;
}

/** Builds a text of about `size` characters. */
export function fill({ start = "", piece, end = "" }: Shape, size: number): string {
  const count = Math.max(1, Math.floor((size - start.length - end.length) / piece.length));
  return `${start}${piece.repeat(count)}${end}`;
}

const named = (pieces: readonly string[], more: Omit<Shape, "name" | "piece"> = {}): Shape[] =>
  pieces.map((piece) => ({
    name: JSON.stringify([more.start, piece, more.end].filter(Boolean).join("…")),
    piece,
    ...more,
  }));

const signs = [..." \t\r\n\0\u{a0},;:<>()[]{}\"'\\@=?/.+-_%&#*!~|^$`0aé"];

/** One character repeated, alone or followed by text on which a pattern for the run fails. */
const runs: readonly Shape[] = [
  ...named(signs),
  ...named([" ", "\t", "\r", "\n", ",", ";", ":", "<", "(", "[", '"', "\\", "@", "=", ".", "-", "/", "a", "0"], {
    end: "!x",
  }),
  ...named([" ", "\t", ".", "a", "\\", "("], { start: "x", end: "\u{1}" }),
];

const addresses: readonly Shape[] = [
  ...named([
    "a,",
    "a;",
    "a:",
    "a@",
    "@a",
    "a@b.test,",
    "<a@b.test>,",
    "<a@b.test>",
    '"a"',
    '"a" ',
    '"a",',
    '\\"',
    "a b ",
  ]),
  ...named([
    "a:;",
    "a:b@c.test;",
    "a:b@c.test,",
    "::",
    ":;",
    "<>",
    "><",
    "()",
    ")(",
    "[]",
    "][",
    "(a)",
    "(a) ",
    "<a",
    "<@a:",
    "@a,",
  ]),
  ...named(['"@', '"\\', '<"', '("', '"(', "[a", "a.", ".a", "a@b.", "(\\)", "a@[1.2.3.4],", "a\u{0}@b,"]),
  ...named(["a", "a.", "a@", "(", "<", '"', "\\\\"], { start: '"' }),
  ...named(["a", "a,", "@a,", "@a:"], { start: "<" }),
  ...named(["a", "(", "()", "\\("], { start: "(" }),
];

const folds: readonly Shape[] = [
  ...named(["\r\n ", "\r\n\t", "a\r\n ", "a\r\n\t", " \r\n ", "a,\r\n ", ";\r\n ", "a\n ", "a\r ", "\r\n \r\n "]),
  ...named(["\r\n "], { start: "x", end: "x" }),
];

const encodedWords: readonly Shape[] = [
  ...named([
    "=?",
    "?=",
    "=?a",
    "=?a?",
    "=?a?q",
    "=?a?q?",
    "=?a?q?a",
    "=?utf-8?q?a?=",
    "=?utf-8?q?a?= ",
    "=?utf-8?b?YQ==?= ",
  ]),
  ...named([
    "=?utf-8?q?=41?=",
    "=?utf-8?q?=C3?= ",
    "=?utf-8*en?q?a?= ",
    "=?x?q?a?= ",
    "=?a?q?a?= =?b?q?a?= ",
    "=?utf-8?b?!?= ",
  ]),
  ...named(["=41", "=4", "_", "a", "=?", "=?utf-8?q?"], { start: "=?utf-8?q?" }),
  ...named(["YQ", "="], { start: "=?utf-8?b?" }),
  ...named(["a"], { start: "=?" }),
];

/** Shapes of Content-Type parameters (RFC 2045, RFC 2231), and of tag lists as in DKIM. */
const parameters: readonly Shape[] = [
  ...named(
    [";a=", ";a=b", ';a="b"', ';a="', "; a*0=b", ";a*0*=utf-8''%41", ";a*1=b;a*0=c", ";boundary=", ';boundary="b";'],
    {
      start: "text/plain",
    },
  ),
  ...named([
    "a=b;",
    "a=;",
    "=;",
    ";;",
    "a=b ;\r\n ",
    "b=a;",
    "h=from:",
    "a:",
    "a=b c=d ",
    "a.b=c ",
    "i=1;a=b;;",
    "(a)=b;",
  ]),
  ...named(["from:", "a:"], { start: "v=1; h=" }),
];

const identifiers: readonly Shape[] = named([
  "<a@b> ",
  "<a@b>",
  "<a@",
  "<@",
  "<a ",
  "a@b ",
  "<a@b@c>",
  "<a>",
  "mailto:",
  "<mailto:a@b.test>,",
  "<https:",
  "<http://a>, ",

  "<mailto:a@b.test?subject=a&",
  "&subject=a",
  "%41",
  "%4",
  "250-",
  "250-a\r\n",
  "5.1.1 ",
  "SRS0=",
  "SRS1=a=",
  "=a",
  "1s,",
  "v.a",
]);

const markup: readonly Shape[] = named([
  "&amp;",
  "&#64;",
  "&#x40;",
  "&",
  "&a",
  "%40",
  "%",
  "<!--",
  "-->",
  "<b>",
  "<a ",
  "</",
  "cid:a@b ",
  "cid:",
  "\u{200b}",
  "\u{ad}",
  "e\u{301}",
  "\u{1f1e6}",
  "\u{ff20}",
  "ﬀ",
  "\u{d800}",
]);

/** Shapes of text on one line, or of text that is put on one line: header values, arguments, typed text. */
export const textShapes: readonly Shape[] = [
  ...runs,
  ...addresses,
  ...folds,
  ...encodedWords,
  ...parameters,
  ...identifiers,
  ...markup,
];

/** Shapes of whole header blocks: repeated fields, repeated lines that are not fields, and very long fields. */
export const headerShapes: readonly Shape[] = [
  ...named([
    "A:\r\n",
    "a: b\r\n",
    "From: a@b.test\r\n",
    "To: a@b.test,c@d.test\r\n",
    "From:\r\n\ta@b.test\r\n",
    ":\r\n",
    " \r\n",
    "A\r\n",
  ]),
  ...named([
    "Received: from a by b; c\r\n",
    "Received: a b c d\r\n",
    "Delivered-To: a@b.test\r\n",
    "Authentication-Results: a;b\r\n",
  ]),
  ...named([
    "List-Unsubscribe: <mailto:a@b.test>\r\n",
    "References: <a@b>\r\n",
    "Content-Type: a/b; c=d\r\n",
    "A:b\n",
    "A:b\r",
    "\r",
  ]),
  ...named([
    "DKIM-Signature: v=1; a=rsa-sha256; d=a.test; s=b; h=from; bh=c; b=d\r\n",
    "DKIM-Signature: b=\r\n",
    "ARC-Seal: i=1; b=a\r\n",
  ]),
  ...named([
    "ARC-Seal: i=1; cv=none; b=a\r\nARC-Message-Signature: i=1; b=a\r\nARC-Authentication-Results: i=1; a\r\n",
  ]),
  ...named([" \r\n", "a\r\n", "\ta:b\r\n", " a,\r\n"], { start: "X:\r\n" }),
  ...named(["a"], { end: ": b\r\n" }),
  ...named([" "], { start: "a", end: ": b\r\n" }),
];

/** Bodies of messages whose boundary is "b", and lines to be hashed, dot-stuffed and decoded. */
export const bodyShapes: readonly Shape[] = [
  ...named([
    "\r\n",
    "\n",
    "\r",
    " ",
    "\t",
    ".",
    "\0",
    "a",
    "é",
    "\r\n.",
    "\r\n..",
    "\n.",
    "\r.",
    "\r\n.\r",
    "..\r\n",
    ".\r\n",
    " \r\n",
  ]),
  ...named([
    "  ",
    "a \r\n",
    "a\t",
    "a\n",
    "a  \r\n\r\n",
    "a\r\n",
    "\t\r\n",
    " \n",
    "=\r\n",
    "=",
    "= ",
    "=41",
    "=4",
    "YQ==",
    "YWFh\r\n",
    "-",
  ]),
  ...named(["\r\n"], { end: "a" }),
  ...named([" "], { start: "a", end: "a" }),
  ...named([" "], { start: "a", end: "\r\n" }),
  ...named([
    "--",
    "--b",
    "--b\r\n",
    "--b\r\n\r\n",
    "--b\r\n\r\na\r\n",
    "--b--\r\n",
    "--bx\r\n",
    "--b x\r\n",
    "--b \r\n",
    "\r\n--b",
    "\r\n--a\r\n",
  ]),
  ...named(["a"], { start: "--b\r\n\r\n" }),
  ...named(["A: b\r\n", " a\r\n", "Content-Type: text/html\r\n"], { start: "--b\r\n" }),
  ...named([
    "--b\r\nContent-Type: text/html\r\n\r\ncid:a@b\r\n",
    "--b\r\nContent-Type: message/rfc822\r\n\r\n",
    "--b\r\nContent-ID: <a@b>\r\n\r\n",
  ]),
  ...named([
    "--b\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n",
    "--b\r\nContent-Type: multipart/mixed; boundary=bb\r\n\r\n--bb\r\n\r\n",
  ]),
  ...named([
    "--b\r\nContent-Transfer-Encoding: base64\r\n\r\nYQ==\r\n",
    "--b\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n=41=\r\n",
  ]),
  ...named([
    '--b\r\nContent-Disposition: attachment; filename="a"\r\n\r\na\r\n',
    "--b\r\nContent-Type: text/calendar\r\n\r\nATTENDEE:a\r\n",
  ]),
  ...named(["=20 ", "=", "= \t", "=\r\n"], {
    start: "--b\r\nContent-Transfer-Encoding: quoted-printable\r\nContent-Type: text/html\r\n\r\n",
  }),
  ...named(["cid:", "cid:a", "<", "&"], { start: "--b\r\nContent-Type: text/html\r\n\r\n" }),
];

/** Builds nested parts, each with its own boundary, as deep as the size permits. */
export function nestedParts(size: number): string {
  const open = (depth: number) => `--b${depth}\r\nContent-Type: multipart/mixed; boundary=b${depth + 1}\r\n\r\n`;
  const depth = Math.max(1, Math.floor(size / open(10_000).length));
  return Array.from({ length: depth }, (_, at) => open(at)).join("");
}

/** Pairs for texts of opening characters followed by as many closing ones. */
export const nestings: readonly (readonly [open: string, close: string])[] = [
  ["(", ")"],
  ["<", ">"],
  ["[", "]"],
  ['"', '"'],
  ["{", "}"],
  ["a:", ";"],
  ["(a", "a)"],
];

export const nested = ([open, close]: readonly [string, string], size: number): string =>
  open.repeat(size / open.length / 2) + close.repeat(size / close.length / 2);
