import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { buildWebhookBody } from "./webhook-body.ts";

const authentication = { spf: "none", dkim: "none", dmarc: "none", arc: "none" } as const;
const build = async (raw: string | Buffer) => {
  const bytes = typeof raw === "string" ? Buffer.from(raw.replaceAll("\n", "\r\n"), "latin1") : raw;
  const envelope = { envelopeFrom: "bounce@from.example", receivedAt: new Date("2026-01-02T03:04:05.678Z") };
  const json = await buildWebhookBody({ aliasAddress: "shop@kauke.test", envelope, raw: bytes, authentication });
  return { bytes, body: JSON.parse(json.toString("utf8")) };
};

const multipart = `From: =?utf-8?q?J=C3=BCrgen?= <j@from.example>
To: Shop <shop@kauke.test>, Team: a@x.example, b@x.example;
Subject: =?utf-8?b?xI1hdQ==?=
Message-ID: <1@from.example>
X-Twice: one
X-Twice: two
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=b

--b
Content-Type: multipart/alternative; boundary=c

--c
Content-Type: text/plain; charset=utf-8
Content-Transfer-Encoding: base64

aGVsbG8g8J+OiQ==
--c
Content-Type: text/html

<b>hello</b>
--c--
--b
Content-Type: application/pdf
Content-Disposition: attachment; filename="a \\"b\\".pdf"
Content-Transfer-Encoding: base64

AAEC/w==
--b
Content-Type: message/rfc822

Subject: inner

x
--b--
`;

describe("the JSON a webhook receives", () => {
  test("has the documented fields, and the message itself", async () => {
    const { bytes, body } = await build(multipart);
    expect(Object.keys(body)).toEqual(["type", "timestamp", "data"]);
    expect(body).toMatchObject({ type: "email.received", timestamp: "2026-01-02T03:04:05.678Z" });
    expect(Object.keys(body.data)).toEqual([
      "alias",
      "envelope",
      "headers",
      "messageId",
      "from",
      "to",
      "subject",
      "text",
      "html",
      "attachments",
      "raw",
      "authentication",
    ]);
    expect(body.data).toMatchObject({
      alias: "shop@kauke.test",
      envelope: { from: "bounce@from.example", to: "shop@kauke.test" },
      messageId: "<1@from.example>",
      from: { name: "Jürgen", address: "j@from.example" },
      to: [{ address: "shop@kauke.test" }, { address: "a@x.example" }, { address: "b@x.example" }],
      subject: "čau",
      authentication,
    });
    expect(body.data.text.trim()).toBe("hello 🎉");
    expect(body.data.html.trim()).toBe("<b>hello</b>");
    expect(body.data.headers.filter((it: { name: string }) => it.name === "X-Twice")).toEqual([
      { name: "X-Twice", value: "one" },
      { name: "X-Twice", value: "two" },
    ]);
    expect(Buffer.from(body.data.raw, "base64").equals(bytes)).toBe(true);
  });

  test("contains attachments byte for byte, and an attached message as a whole", async () => {
    const { body } = await build(multipart);
    const [pdf, inner] = body.data.attachments;
    expect(pdf).toEqual({ filename: 'a "b".pdf', contentType: "application/pdf", size: 4, content: "AAEC/w==" });
    expect(inner.contentType).toBe("message/rfc822");
    expect(Buffer.from(inner.content, "base64").toString()).toContain("Subject: inner");
  });

  test("has null fields for an empty message", async () => {
    const { body } = await build("");
    expect(body.data).toMatchObject({
      headers: [],
      messageId: null,
      from: null,
      to: [],
      subject: null,
      html: null,
      attachments: [],
      raw: "",
    });
  });

  test("is raw with null fields for a message that the parser rejects", async () => {
    const nested = Array.from(
      { length: 400 },
      (_, i) => `Content-Type: multipart/mixed; boundary=b${i}\n\n--b${i}\n`,
    ).join("");
    const { bytes, body } = await build(`From: a@b.example\n${nested}x`);
    expect(body.data).toMatchObject({
      headers: [],
      from: null,
      subject: null,
      text: null,
      html: null,
      attachments: [],
    });
    expect(Buffer.from(body.data.raw, "base64").equals(bytes)).toBe(true);
  });

  test("is well-formed and contains the message, whatever its bytes", async () => {
    const line = fc.oneof(
      fc.constantFrom(
        "Content-Type: multipart/mixed; boundary=b",
        "--b",
        "--b--",
        "",
        "Content-Transfer-Encoding: base64",
      ),
      fc.constantFrom(
        "Content-Type: text/html; charset=utf-16",
        "Subject: =?x?q?=ff?=",
        "From: <<>>,:;",
        "Content-Type: message/rfc822",
      ),
      fc.string({ unit: "binary", maxLength: 40 }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 30 }), async (lines) => {
        const raw = Buffer.from(lines.join("\r\n"));
        const { body } = await build(raw);
        expect(Buffer.from(body.data.raw, "base64").equals(raw)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});

describe("the author in the JSON is the one who was authenticated", () => {
  const rest = "Subject: hi\r\n\r\nbody\r\n";
  const eve = "From: eve@evil.example\r\n";
  const bank = "From: ceo@bank.example";
  test.each([
    ["a From before it behind a bare LF", `X: 1\n${bank}\r\n${eve}${rest}`, "eve@evil.example"],
    ["a From before it behind a bare CR", `X: 1\r${bank}\r\n${eve}${rest}`, "eve@evil.example"],
    ["a second From", `${eve}${bank}\r\n${rest}`, "eve@evil.example"],
    ["a From after what is no field", `junk\r\n${bank}\r\n${rest}`, undefined],
    ["a From behind white space", ` \r\n${bank}\r\n${rest}`, undefined],
    ["nothing else", `${eve}${rest}`, "eve@evil.example"],
  ])("with %s", async (_, raw, author) => {
    const { body, bytes } = await build(Buffer.from(raw));
    expect(body.data.from?.address).toBe(author);
    expect(Buffer.from(body.data.raw, "base64")).toEqual(bytes);
  });
});
