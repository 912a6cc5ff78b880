import { readFileSync } from "node:fs";
import { decodeQuotedPrintable, readHeader, toBase64Lines, toQuotedPrintableLines } from "@kauke/mail-rfc";
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { QUOTE_BYTES_MAX, withAliasInQuotes } from "./alias-in-quotes.ts";

const own = "olga@owner.example";
const alias = "shopping.k7@kauke.test";
const owner = {
  aliasAddress: alias,
  mailboxes: [own, "Ольга@пример.example", "o.l.g.a+x@gmail.com"],
  isOwnMailbox: (address: string) =>
    /^(?:olga(?:\+.*)?@owner\.example|ольга@(?:пример|xn--e1afmkfd)\.example|o\.?l\.?g\.?a(?:\+.*)?@g(?:oogle)?mail\.com)$/i.test(
      address,
    ),
};

interface Vectors {
  changed: Record<string, string[]>;
  kept: Record<string, string[]>;
}
const vectors = JSON.parse(
  readFileSync(new URL("../../../test-vectors/quote-lines.json", import.meta.url), "utf8"),
) as Vectors;

function change(message: Buffer | string) {
  const bytes = Buffer.from(message as string);
  const { end, isSeparated } = readHeader(bytes);
  const [header, body] = [bytes.subarray(0, end), bytes.subarray(isSeparated ? end + 2 : end)];
  const changed = withAliasInQuotes({ header, body }, owner);
  return { ...changed, before: body, isSame: changed.body === body };
}

const text = (body: string | Buffer, type = "text/plain; charset=utf-8", encoding = "8bit") => {
  const header = `Content-Type: ${type}\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n`;
  return change(Buffer.concat([Buffer.from(header), Buffer.from(body as string)]));
};
const html = (body: string) => text(body, "text/html; charset=utf-8");
const lines = (...all: string[]) => all.map((line) => `${line}\r\n`).join("");

describe.each(Object.entries(vectors.changed))(
  "in quoted lines of %s the alias replaces the mailbox",
  (kind, sources) => {
    it.each(sources)("%j", (source) => {
      const body = source.replaceAll("\n", "\r\n");
      const { body: changed } = kind.includes("HTML") ? html(body) : text(body);
      expect(changed.toString()).toBe(body.replaceAll(own, alias));
    });
  },
);

describe.each(Object.entries(vectors.kept))("%s stay unchanged", (kind, sources) => {
  it.each(sources)("%j", (source) => {
    const body = source.replaceAll("\n", "\r\n");
    expect((kind.includes("HTML") ? html(body) : text(body)).isSame).toBe(true);
  });
});

const wrote = (address: string) => `On 23 Nov 2026, at 09:58, Olga <${address}> wrote:`;

describe("an address in a quoted line", () => {
  it.each(["olga@owner.example", "OLGA@Owner.Example", "olga+sales@owner.example", "olga+a+b@owner.example"])(
    "of the owner is recognized as %s",
    (spelled) => {
      expect(text(wrote(spelled)).body.toString()).toBe(wrote(alias));
    },
  );

  it.each(["Ольга@пример.example", "ольга@xn--e1afmkfd.example", "olga@googlemail.com", "o.lga+y@gmail.com"])(
    "of another mailbox of the owner is recognized as %s",
    (spelled) => {
      expect(text(wrote(spelled)).body.toString()).toBe(wrote(alias));
    },
  );

  it.each(["jolga@owner.example", "olga@owner.example.net", "olga@owner.examples", "olga@sub.owner.example"])(
    "of somebody else is not replaced: %s",
    (spelled) => {
      expect(text(wrote(spelled)).isSame).toBe(true);
    },
  );
});

describe("parts", () => {
  const signature = "--s\r\nContent-Type: application/pgp-signature\r\n\r\nx\r\n--s--\r\n";
  it.each([
    ["a signed part", `Content-Type: multipart/signed; boundary=s\r\n\r\n--s\r\n\r\n${wrote(own)}\r\n${signature}`],
    [
      "a signed part among others",
      `Content-Type: multipart/mixed; boundary=m\r\n\r\n--m\r\nContent-Type: multipart/signed; boundary=s\r\n\r\n--s\r\n\r\n${wrote(own)}\r\n${signature}--m--\r\n`,
    ],
    [
      "text in an encrypted part",
      `Content-Type: multipart/encrypted; boundary=s\r\n\r\n--s\r\nContent-Type: text/plain\r\n\r\n${wrote(own)}\r\n--s--\r\n`,
    ],
    [
      "text with an inline signature",
      lines("", "-----BEGIN PGP SIGNED MESSAGE-----", "Hash: SHA512", "", wrote(own), "-----BEGIN PGP SIGNATURE-----"),
    ],
    [
      "an attachment",
      lines("Content-Type: text/plain", "Content-Disposition: attachment; filename=a.txt", "", wrote(own)),
    ],
    ["an attached message", lines("Content-Type: message/rfc822", "", "Subject: x", "", wrote(own))],
    ["other text", lines("Content-Type: text/csv", "", wrote(own))],
    ["an unknown charset", lines("Content-Type: text/plain; charset=iso-2022-jp", "", wrote(own))],
    ["UTF-16", lines("Content-Type: text/plain; charset=utf-16", "", wrote(own))],
    ["an unknown encoding", lines("Content-Transfer-Encoding: uuencode", "", wrote(own))],
    [
      "damaged base64",
      lines("Content-Transfer-Encoding: base64", "", `${Buffer.from(wrote(own)).toString("base64")}!=`),
    ],
    [
      "invalid UTF-8",
      Buffer.concat([
        Buffer.from(lines("Content-Type: text/plain; charset=utf-8", "", wrote(own))),
        Buffer.from([0xff]),
      ]),
    ],
  ])("%s stays unchanged", (_, message) => {
    expect(change(message).isSame).toBe(true);
  });

  it("are reported by number, kind and line, and everything around the changed lines stays unchanged", () => {
    const html64 = (all: string) => toBase64Lines(Buffer.from(all)).toString();
    const message = (address: string) =>
      lines(
        "Content-Type: multipart/mixed; boundary=m",
        "",
        "before",
        "--m",
        "Content-Type: multipart/alternative; boundary=a",
        "",
        "--a",
        "Content-Type: text/plain; charset=us-ascii",
        "",
        `I am ${own}.`,
        "",
        wrote(address),
        "> hello",
        "--a",
        "Content-Type: text/html; charset=utf-8",
        "Content-Transfer-Encoding: base64",
        "",
        html64(
          `<p>I am ${own}.</p>\n<div>${wrote(address).replace("<", "&lt;")}</div><blockquote>hello</blockquote>`,
        ).trim(),
        "--a--",
        "between",
        "--m",
        "Content-Type: text/plain",
        "Content-Disposition: attachment",
        "",
        wrote(own),
        "--m--",
        "after",
      );
    const { body, places } = change(message(own));
    expect(body.toString()).toBe(message(alias).slice(message(alias).indexOf("\r\n\r\n") + 4));
    expect(places).toEqual([
      { part: "1.1", kind: "text", line: 3 },
      { part: "1.2", kind: "html", line: 2 },
    ]);
  });

  it("beyond a mebibyte of text stay unchanged", () => {
    const short = lines("x".repeat(70)).repeat(1000);
    expect(text(`${wrote(own)}\r\n${short}`).isSame).toBe(false);
    expect(text(`${wrote(own)}\r\n${lines("x".repeat(900)).repeat(QUOTE_BYTES_MAX / 900)}`).isSame).toBe(true);
  });
});

describe("a transfer encoding", () => {
  it.each(["iso-8859-1", "windows-1252", "ISO-8859-15"])("keeps the bytes of %s", (charset) => {
    const body = Buffer.concat([
      Buffer.from([0x80, 0xe9, 0x0d, 0x0a]),
      Buffer.from(`Le 23/11/2026 \xe0 09:58, <${own}> a \xe9crit\xa0:`, "latin1"),
    ]);
    const message = Buffer.concat([Buffer.from(`Content-Type: text/plain; charset=${charset}\r\n\r\n`), body]);
    const expected = body.toString("latin1").replace(own, alias);
    expect(change(message).body.toString("latin1")).toBe(expected);
  });

  it("does not change a line that would exceed the maximum line length", () => {
    const line = (length: number, address: string) => {
      const attribution = wrote(address).replace("<", "&lt;").replace(">", "&gt;");
      return attribution.padStart(length + attribution.length - wrote(own).length - 6, " ");
    };
    const grown = alias.length - own.length;
    const fits = line(998 - grown, own);
    expect(fits.length + grown).toBe(998);
    expect(text(fits, "text/html").body.toString()).toBe(fits.replace(own, alias));
    expect(text(` ${fits}`, "text/html").isSame).toBe(true);
  });

  it("does not hide an address split by a soft line break, and lines stay short", () => {
    const body = lines(
      "caf=C3=A9 is left =",
      "alone",
      "On 23 Nov 2026, at 09:58, Olga with a long and longer name <olga@ow=",
      "ner.example> wrote:",
      "> caf=c3=a9 =41",
    );
    const { body: changed } = text(body, "text/plain; charset=utf-8", "quoted-printable");
    expect(changed.toString()).toBe(
      lines(
        "caf=C3=A9 is left =",
        "alone",
        "On 23 Nov 2026, at 09:58, Olga with a long and longer name <=",
        `${alias}=`,
        "> wrote:",
        "> caf=c3=a9 =41",
      ),
    );
  });
});

test.each([
  ["a labelled line", [`To: On 23 Nov 2026, ${own} wrote :From: Olga <${own}>`, `Sent: Monday Olga <${own}> wrote:`]],
  ["a complete attribution", [`---- On 23 Nov 2026 Olga <${own}> wrote ----`, `Olga <${own}> wrote:`]],
])(
  "%s does not lend its date to the line below, whose address a second run would change",
  (_, [first = "", second = ""]) => {
    const { body } = text(lines(first, second));
    expect(body.toString()).toBe(lines(first.replaceAll(own, alias), second));
    expect(text(body).isSame).toBe(true);
  },
);

const pieces = [
  "hello",
  own,
  "a@b.example",
  "wrote:",
  ">",
  "On 23 Nov 2026 at 09:58, ",
  "<",
  "From: ",
  "To: ",
  "Sent: ",
  "été",
  "=",

  "&lt;",
  "<div>",
  "<blockquote>",
  "</blockquote>",
  "<br>",
  '<a href="mailto:',
  '">',
  "</a>",
  "\u{1f600}",
  "  ",
  "\t",

  `Olga <${own}> wrote:`,
  `From: Olga <${own}>\r\nSent: Monday`,
  `Le 23/11/2026 à 09:58, ${own} a écrit :`,
  "\r\n",
  "\r\n",
  `<div>On 23 Nov 2026 at 09:58, Olga &lt;${own}&gt; wrote:</div>`,
  `\r\nOn 23 Nov 2026 at 09:58, Olga <${own}>\r\nwrote:\r\n`,
];
const anyText = fc
  .array(fc.oneof(fc.constantFrom(...pieces), fc.string({ maxLength: 6 })), { maxLength: 40 })
  .map((all) => all.join(""));

const encoders: Record<string, (bytes: Buffer) => Buffer> = {
  "8bit": (bytes) => bytes,
  "quoted-printable": toQuotedPrintableLines,
  base64: toBase64Lines,
};
const decoders: Record<string, (bytes: Buffer) => Buffer> = {
  "8bit": (bytes) => bytes,
  "quoted-printable": (bytes) => Buffer.from(decodeQuotedPrintable(bytes.toString("latin1")), "latin1"),
  base64: (bytes) => Buffer.from(bytes.toString("latin1"), "base64"),
};

describe.each(Object.keys(encoders))("of any text in %s", (encoding) => {
  const encode = encoders[encoding] as (bytes: Buffer) => Buffer;
  const decode = decoders[encoding] as (bytes: Buffer) => Buffer;

  test.each(["plain", "html"])(
    "%s: only the owner's addresses become the alias, a second run changes nothing, and lines stay short",
    (subtype) => {
      let changes = 0;
      const type = `text/${subtype}; charset=utf-8`;
      fc.assert(
        fc.property(anyText, (source) => {
          const plain = Buffer.from(source.toWellFormed());
          const written = encode(plain);
          const { body, isSame, before } = text(written, type, encoding);
          if (!isSame) changes += 1;
          expect(decode(body).toString().replaceAll(alias, own)).toBe(decode(before).toString());
          expect(text(body, type, encoding).isSame).toBe(true);
          const longest = Math.max(
            ...body
              .toString("latin1")
              .split("\r\n")
              .map((line) => line.length),
          );
          if (encoding !== "8bit") expect(longest).toBeLessThanOrEqual(76);
        }),
        { numRuns: 600 },
      );
      expect(changes).toBeGreaterThan(2);
    },
  );
});
