import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseAddressList } from "../address/address-list.ts";
import { replyAddress, replyToken } from "../address/reply-address.ts";
import { stuff } from "../body/dot-stuffing.ts";
import { fieldValue, findField, firstValue, type HeaderField, readHeader } from "./headers.ts";
import { messageIdKeys, sealMessageId } from "./message-id-map.ts";
import { CORRESPONDENTS_MAX, type ForwardHeaderSource, rewriteForwardHeader } from "./rewrite-forward-header.ts";

const key = Buffer.alloc(32, 7);
const reply = (address: string) => replyAddress(replyToken(key, address), "kauke.test");
const isReply = (address: string) => /^r(?:-[a-z2-7]{5}){4}@kauke\.test$/.test(address);
const isAlias = (address: string) => /^shop(\+.*)?@kauke\.test$/i.test(address);

function rewrite(text: string | Buffer, change: Partial<ForwardHeaderSource> = {}) {
  const wire = stuff(Buffer.isBuffer(text) ? text : Buffer.from(text));
  const { fields, end } = readHeader(wire);
  const {
    header,
    correspondents,
    fields: written,
  } = rewriteForwardHeader({
    header: wire.subarray(0, end),
    fields,
    aliasAddress: "shop@kauke.test",
    envelopeFrom: "bounce@sender.example",
    isVerified: true,
    replyAddressOf: reply,
    removeResultsOf: "mx.kauke.test",
    ...change,
  });
  expect(written).toEqual(readHeader(header).fields);
  return { header, text: header.toString(), correspondents, ...readHeader(header) };
}
const value = ({ header, fields }: ReturnType<typeof rewrite>, name: string) => firstValue(header, fields, name);
const addresses = (done: ReturnType<typeof rewrite>, name: string) =>
  parseAddressList(value(done, name) ?? "").map(({ address }) => address);
const lines = (...all: string[]) => all.map((line) => `${line}\r\n`).join("");

const answerable = ["from", "reply-to", "to", "cc"];
const mustBeGone = ["sender", "bcc", "return-path", "dkim-signature", "disposition-notification-to", "errors-to"];
const touched = [...answerable, ...mustBeGone, "author", "resent-from", "resent-to", "resent-cc", "list-unsubscribe"];
const untouched = ({ name }: HeaderField) =>
  !touched.includes(name) && !/^(?:list|resent)-|^(?:domainkey|dkim2|x-google-dkim)-signature$/.test(name);

const fixtures = readdirSync(new URL("../../../../test-vectors/eml/", import.meta.url)).filter((name) =>
  name.endsWith(".eml"),
);

describe("every fixture forwarded", () => {
  it.each(fixtures)(
    "%s: every address one could answer to is the alias or a reply address; all else stays byte for byte",
    (name) => {
      const original = readFileSync(new URL(`../../../../test-vectors/eml/${name}`, import.meta.url));
      const before = readHeader(original);
      const done = rewrite(original);
      expect(done.end).toBe(done.header.length);
      for (const field of done.fields) {
        expect(mustBeGone).not.toContain(field.name);
        if (!answerable.includes(field.name)) continue;
        const found = parseAddressList(fieldValue(done.header, field));
        expect(found.filter(({ address }) => !isReply(address) && !isAlias(address))).toEqual([]);
        expect(found.filter(({ name: shown }) => shown?.includes("@"))).toEqual([]);
        expect(done.fields.filter((other) => other.name === field.name)).toHaveLength(1);
      }
      expect(done.fields.filter(({ name: field }) => field === "from")).toHaveLength(1);
      const kept = (bytes: Buffer, fields: readonly HeaderField[]) =>
        fields.filter(untouched).map((field) => bytes.toString("latin1", field.start, field.end));
      const wasWhole = kept(original, before.fields).map((text) => (text.endsWith("\r\n") ? text : `${text}\r\n`));
      expect(kept(done.header, done.fields)).toEqual(wasWhole);
      const twice = rewrite(done.header, { replyAddressOf: () => "r.aaaaaaaaaaaaaaaaaaaa@kauke.test" });
      expect(kept(twice.header, twice.fields)).toEqual(wasWhole);
    },
  );

  it("the fixtures are found", () => {
    expect(fixtures.length).toBeGreaterThan(18);
  });
});

describe("From", () => {
  it("shows the author, with a reply address", () => {
    const done = rewrite(lines("From: Ann Lee <Ann@example.org>"));
    expect(done.text).toBe(`From: "Ann Lee (Ann at example.org)" <${reply("ann@example.org")}>\r\n`);
    expect(done.correspondents).toEqual([{ name: "Ann Lee", address: "Ann@example.org" }]);
  });

  it("begins with a warning when it is not verified", () => {
    const done = rewrite(lines("From: Bank <info@bank.example>"), { isVerified: false });
    expect(done.text).toContain('"Unverified: Bank (info at bank.example)"');
  });

  it("shows the first of several authors, and Reply-To names all", () => {
    const two = lines("From: a@x.example, b@y.example");
    const done = rewrite(two);
    expect(addresses(done, "from")).toEqual([reply("a@x.example")]);
    expect(addresses(done, "reply-to")).toEqual([reply("a@x.example"), reply("b@y.example")]);
    expect(value(done, "reply-to")).toContain('"Unverified: b at y.example"');
    expect(value(rewrite(lines("From: a@x.example, b@x.example")), "reply-to")).not.toContain("Unverified");
    const elsewhere = rewrite(`${two}Reply-To: c@z.example\r\n`);
    expect(addresses(elsewhere, "reply-to")).toEqual([reply("c@z.example")]);
  });

  it("keeps only the first of several fields", () => {
    const done = rewrite(lines("From: a@x.example", "From: b@y.example"));
    expect(addresses(done, "from")).toEqual([reply("a@x.example")]);
    expect(done.fields.filter((field) => field.name === "from")).toHaveLength(1);
  });

  it("shows a name that is the address once", () => {
    const done = rewrite(lines("From: Info@x.example <info@x.example>"));
    expect(value(done, "from")).toBe(`"info at x.example" <${reply("info@x.example")}>`);
  });

  it.each(["", "From: \r\n", "From: nobody at all\r\n", "From: undisclosed:;\r\n"])(
    "%j falls back to the envelope",
    (text) => {
      expect(addresses(rewrite(`${text}Subject: x\r\n`), "from")).toEqual([reply("bounce@sender.example")]);
      const nobody = rewrite(`${text}Subject: x\r\n`, { envelopeFrom: "" });
      expect(addresses(nobody, "from")).toEqual(["no-reply@kauke.test"]);
      expect(nobody.correspondents).toEqual([]);
    },
  );

  it.each([
    ["root (Cron Daemon)", '"Unknown sender: root (Cron Daemon)" <no-reply@kauke.test>'],
    ["=?utf-8?q?B=C3=BCro?=", "=?utf-8?B?VW5rbm93biBzZW5kZXI6IELDvHJv?= <no-reply@kauke.test>"],
    ["a@@b.example", '"Unknown sender: ab.example" <no-reply@kauke.test>'],
    ["", "Unknown sender <no-reply@kauke.test>"],
  ])("without an address (%j) names an address of ours, and keeps the name", (from, expected) => {
    expect(value(rewrite(lines(`From: ${from}`), { envelopeFrom: "" }), "from")).toContain(expected);
  });

  it("with the alias as author gets a reply address too", () => {
    expect(addresses(rewrite(lines("From: Me <shop@kauke.test>")), "from")).toEqual([reply("shop@kauke.test")]);
  });

  it("is put first when it was missing, so that a header without a final line end stays intact", () => {
    const done = rewrite("Subject: x");
    expect(done.text).toMatch(/^From: .*\r\nSubject: x\r\n$/);
  });
});

describe("fields that may occur once", () => {
  const names = [
    "Subject",
    "Date",
    "Message-ID",
    "MIME-Version",
    "Content-Type",
    "Content-Transfer-Encoding",
    "From",
    "To",
  ];

  it.each(names)("%s leaves once, as it stands first", (name) => {
    const done = rewrite(lines("From: a@x.example", `${name}: first`, "X-Mid: x", `${name.toLowerCase()} : second`));
    const found = done.fields.filter((field) => field.name === name.toLowerCase());
    expect(found).toHaveLength(1);
    if (name !== "From" && name !== "To") expect(value(done, name.toLowerCase())).toBe("first");
    expect(done.fields.filter((field) => field.name === "x-mid")).toHaveLength(1);
  });

  it("signatures over what is rewritten, and resent fields, are removed", () => {
    const names = ["DKIM2-Signature", "Message-Instance", "DomainKey-Signature", "X-Google-DKIM-Signature"];
    const resent = ["Resent-From", "Resent-Date", "Resent-Message-ID", "Resent-Anything"];
    const done = rewrite(lines("From: a@x.example", ...[...names, ...resent].map((name) => `${name}: x`), "X-Kept: x"));
    expect(done.fields.map(({ name }) => name)).toEqual(["from", "x-kept"]);
  });

  it("List-Unsubscribe-Post stays only with its https link", () => {
    const post = "List-Unsubscribe-Post: List-Unsubscribe=One-Click";
    const names = (link: string) =>
      rewrite(lines("From: a@x.example", `List-Unsubscribe: ${link}`, post)).fields.map(({ name }) => name);
    const mail = "<mailto:u@x.example>";
    const long = `<https://x.example/${"a".repeat(1100)}>`;
    expect(names(`<https://x.example/u>, ${mail}`)).toContain("list-unsubscribe-post");
    expect(names(long)).toContain("list-unsubscribe-post");
    expect(names(`${long},\r\n ${mail}`)).not.toContain("list-unsubscribe-post");
    expect(names(mail)).not.toContain("list-unsubscribe-post");
  });

  it("fields that may occur often stay", () => {
    const done = rewrite(lines("From: a@x.example", "Received: x", "Received: y", "Comments: x", "Comments: y"));
    expect(done.fields.map(({ name }) => name)).toEqual(["from", "received", "received", "comments", "comments"]);
  });

  it("Date and Message-ID are added where they are missing only", () => {
    const added = { date: new Date(0), messageId: "<1@kauke.test>" };
    const bare = rewrite(lines("From: a@x.example"), { added });
    expect(value(bare, "date")).toBe("Thu, 1 Jan 1970 00:00:00 +0000");
    expect(value(bare, "message-id")).toBe("<1@kauke.test>");
    const whole = rewrite(lines("From: a@x.example", "Date: today", "Message-ID: <2@x.example>"), { added });
    expect(value(whole, "date")).toBe("today");
    expect(value(whole, "message-id")).toBe("<2@x.example>");
  });
});

describe("To, Cc and Reply-To", () => {
  it("keep the alias in any letter case with its tag; all other addresses become reply addresses", () => {
    const done = rewrite(
      lines(
        "From: a@x.example",
        "To: Shop <SHOP+spring@Kauke.Test>, bob@y.example",
        "Cc: shop@kauke.test, Al <al@z.example>",
      ),
    );
    expect(addresses(done, "to")).toEqual(["SHOP+spring@kauke.test", reply("bob@y.example")]);
    expect(addresses(done, "cc")).toEqual(["shop@kauke.test", reply("al@z.example")]);
    expect(done.text).not.toMatch(/@[xyz]\.example/);
  });

  it("keep another alias only if it belongs to the same owner", () => {
    const text = lines("From: a@x.example", "To: news@kauke.test, other@kauke.test");
    const done = rewrite(text, { isOwnAlias: (address) => address === "news@kauke.test" });
    expect(addresses(done, "to")).toEqual(["news@kauke.test", reply("other@kauke.test")]);
  });

  it("change a display name that looks like an address", () => {
    const done = rewrite(lines("From: a@x.example", 'To: "eve@evil.example" <bob@y.example>'));
    expect(done.text).not.toContain("eve@");
  });

  it("rewrite members of groups too", () => {
    const done = rewrite(lines("From: a@x.example", "To: Team: bob@y.example, shop@kauke.test;", "Cc: undisclosed:;"));
    expect(addresses(done, "to")).toEqual([reply("bob@y.example"), "shop@kauke.test"]);
    expect(done.fields.map(({ name }) => name)).toEqual(["from", "to"]);
  });

  it.each([
    "To: undisclosed-recipients:;",
    "To: Team:;\r\nCc: bob@y.example",
    "To: ",
    "To: nobody at all",
    "Apparently-To: shop@kauke.test",
  ])("without recipients still have a To field: %j", (field) => {
    const done = rewrite(lines("From: a@x.example", field, "Subject: s"));
    expect(value(done, "to")).toBe("undisclosed-recipients:;");
    expect(done.fields.filter(({ name }) => name === "to")).toHaveLength(1);
  });

  it("get no To field if the sender wrote none", () => {
    const done = rewrite(lines("From: a@x.example", "Bcc: shop@kauke.test", "Cc: bob@y.example"));
    expect(done.fields.map(({ name }) => name)).toEqual(["from", "cc"]);
  });

  it("become one field when given twice", () => {
    const done = rewrite(lines("From: a@x.example", "To: b@x.example", "Subject: s", "To: c@x.example, B@x.example"));
    expect(addresses(done, "to")).toEqual([reply("b@x.example"), reply("c@x.example")]);
    expect(done.fields.map(({ name }) => name)).toEqual(["from", "to", "subject"]);
  });

  it("hold reply addresses of so many people at most, always the alias, and say how many are missing", () => {
    const many = (name: string) => Array.from({ length: 500 }, (_, index) => `${name}${index}@x.example`).join(", ");
    const done = rewrite(
      lines("From: a@x.example", `Cc: ${many("c")}`, `To: ${many("t")}, shop@kauke.test`, `Reply-To: ${many("r")}`),
    );
    const all = answerable.flatMap((name) => addresses(done, name));
    expect(all).toHaveLength(CORRESPONDENTS_MAX + 1);
    expect(all).toContain("shop@kauke.test");
    expect(all.filter((address) => !isReply(address) && !isAlias(address))).toEqual([]);
    expect(done.correspondents).toHaveLength(CORRESPONDENTS_MAX);
    const missing = ["to", "cc"].map(
      (name) => /(\d+) more without a reply address:;$/.exec(value(done, name) ?? "")?.[1],
    );
    expect(missing.filter((one) => one !== undefined)).toEqual([`${1501 - CORRESPONDENTS_MAX}`]);
  });

  it("request one reply address per correspondent, however often and in whatever letter case it occurs", () => {
    const asked: string[] = [];
    const replyAddressOf = (address: string) => {
      asked.push(address);
      return reply(address);
    };
    rewrite(lines("From: Ann@x.example", "Reply-To: ann@x.example", "To: ANN@x.example, bob@x.example"), {
      replyAddressOf,
    });
    expect(asked).toEqual(["Ann@x.example", "bob@x.example"]);
  });
});

describe("other fields", () => {
  const base = "From: a@x.example\r\n";

  it.each([
    "Sender: s@x.example",
    "Author: s@x.example",
    "Bcc: s@x.example",
    "Return-Path: <s@x.example>",
    "DKIM-Signature: v=1; b=x",
    "Disposition-Notification-To: s@x.example",
    "Return-Receipt-To: s@x.example",
    "X-Confirm-Reading-To: s@x.example",
    "Errors-To: s@x.example",
    "Mail-Followup-To: s@x.example",
    "Resent-From: s@x.example",
    "RESENT-REPLY-TO : s@x.example",
    "Authentication-Results: mx.kauke.test; dkim=pass",
    "Authentication-Results: (c;) MX.Kauke.Test 1; dkim=pass",
    'Authentication-Results: "mx.kauke.test"; dkim=pass',
    "Authentication-Results:\r\n mx.kauke.test;\r\n dkim=pass",
    "List-Unsubscribe-Post: List-Unsubscribe=One-Click",
  ])("%s is removed", (field) => {
    expect(rewrite(`${base}${field}\r\n`).fields.map(({ name }) => name)).toEqual(["from"]);
  });

  it.each([
    "Authentication-Results: mx.other.example; dkim=pass header.d=mx.kauke.test",
    "subject:  Exactly\tso \r\n\t and so ",
    "X-Odd : é",
    ".Dotted: line",
    "Constructor: x",
    "__proto__: x",
    "toString: x",
    "References: <a@b.example>\r\n <c@d.example>",
    "List-Unsubscribe: <https://x.example/u>,\r\n\t<http://x.example/v>",
    "List-Post: NO",
  ])("%s stays byte for byte", (field) => {
    const wire = stuff(Buffer.from(`${field}\r\n`, "latin1"));
    const done = rewrite(Buffer.from(`${field}\r\n${base}`, "latin1"));
    expect(done.header.subarray(0, wire.length)).toEqual(wire);
  });

  it("a bare CR or LF can't begin a field in another program", () => {
    const done = rewrite(`${base}Subject: a\nReply-To: b@x.example\rCc: c@x.example\r\n`);
    expect(value(done, "subject")).toBe("a Reply-To: b@x.example Cc: c@x.example");
    expect(done.text).not.toMatch(/\r(?!\n)|(?<!\r)\n/);
  });

  it("List-Unsubscribe keeps its web link and one-click field; a mailto gets a reply address and loses other query fields", () => {
    const done = rewrite(
      base +
        lines(
          "List-Unsubscribe: <https://x.example/u?a=b>, <mailto:leave%40x.example?subject=leave&cc=spy@x.example&body=go>",
          "List-Unsubscribe-Post: List-Unsubscribe=One-Click",
          "List-Post: <mailto:list@x.example>",
        ),
    );
    expect(value(done, "list-unsubscribe")).toBe(
      `<https://x.example/u?a=b>, <mailto:${reply("leave@x.example")}?subject=leave&body=go>`,
    );
    expect(value(done, "list-unsubscribe-post")).toBe("List-Unsubscribe=One-Click");
    expect(value(done, "list-post")).toBe(`<mailto:${reply("list@x.example")}>`);
    expect(done.correspondents.map(({ address }) => address)).toContain("leave@x.example");
  });

  it.each([
    "List-Unsubscribe: <mailto:>",
    "List-Unsubscribe: <mailto:%E0%A4%A>",
    "List-Unsubscribe: leave@x.example",
    "List-Unsubscribe: <MAIL\r\n TO:leave>",
    "List-Post: list@x.example (write here)",
  ])("%s has no usable link and is removed", (field) => {
    expect(rewrite(`${base}${field}\r\n`).fields.map(({ name }) => name)).toEqual(["from"]);
  });

  it("the owner's identifiers are opened, and the correspondent's are covered by a voucher", () => {
    const messageIds = messageIdKeys(key, "kauke.test");
    const sealed = sealMessageId("<note@laptop.example>", messageIds);
    const done = rewrite(`${base}Message-ID: <b@x.example>\r\nIn-Reply-To: ${sealed}\r\n`, { messageIds });
    expect(value(done, "in-reply-to")).toBe("<note@laptop.example>");
    expect(value(done, "references")).toMatch(/^<v\.[a-z2-7]{8}@kauke\.test>$/);
    expect(value(done, "message-id")).toBe("<b@x.example>");
  });
});

describe("arbitrary header fields of a sender", () => {
  const name = fc.constantFrom(
    "From",
    "To",
    "Cc",
    "Reply-To",
    "Sender",
    "List-Unsubscribe",
    "References",
    "Message-ID",
    "X-A",
    "constructor",
  );
  const soup = fc.array(
    fc.oneof(
      fc.constantFrom(
        "a@x.example",
        "<",
        ">",
        ",",
        ";",
        ":",
        '"',
        "(",
        ")",
        "\\",
        " ",
        "\r\n ",
        "\n",
        "\r",
        "mailto:",
        "=?utf-8?q?a@b?=",
      ),
      fc.string({ unit: "binary", maxLength: 5 }),
    ),
    { maxLength: 20 },
  );

  it("the result is one header, with one From and no address of a correspondent to answer to", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(name, soup), { maxLength: 8 }), fc.boolean(), (fields, withIds) => {
        const text = fields.map(([title, parts]) => `${title}: ${parts.join("")}\r\n`).join("");
        const done = rewrite(text, withIds ? { messageIds: messageIdKeys(key, "kauke.test") } : {});
        expect(done.end).toBe(done.header.length);
        expect(done.fields.filter((field) => field.name === "from")).toHaveLength(1);
        for (const title of [...answerable, "list-unsubscribe"]) {
          const field = findField(done.fields, title);
          if (field) expect(fieldValue(done.header, field)).not.toMatch(/@(?!kauke\.test)/);
        }
      }),
      { numRuns: process.env.LONG_ROUNDS === "1" ? 2000 : 500 },
    );
  });
});
