import { unstuff } from "@kauke/mail-rfc";
import * as fc from "fast-check";
import PostalMime from "postal-mime";
import { describe, expect, it } from "vitest";
import { buildMessage } from "./build-message.ts";

const typed = {
  aliasAddress: "shop.k7@kauke.test",
  aliasDomain: "kauke.test",
  to: "rasa@example.org",
  subject: "Contract",
  body: "Hi Rasa",
};
const context = { now: new Date("2026-03-01T12:00:00.000Z"), random: new Uint8Array(16).fill(7) };
const build = (change: Partial<typeof typed> = {}) => buildMessage({ ...typed, ...change }, context);

describe("a composed message", () => {
  it("is sent from the alias, with a Message-ID made only of random characters and the alias' domain", () => {
    const { envelope, messageId, recipient } = build();
    expect(envelope).toMatchObject({
      envelopeFrom: "shop.k7@kauke.test",
      helo: "",
      clientAddress: "",
      smtpUtf8: false,
    });
    expect(messageId).toMatch(/^<[a-z2-7]{26}@kauke\.test>$/);
    expect(recipient).toBe("rasa@example.org");
  });

  it("a mail parser returns the subject and body as typed", async () => {
    const any = fc.oneof(
      fc.string({ unit: "binary", maxLength: 300 }),
      fc.string({ unit: "grapheme", maxLength: 300 }),
      fc
        .array(fc.constantFrom("\r\n", "\n", ".", "\n.", "=", " ", "\t", "ą", "From ", "--", "a".repeat(90)), {
          maxLength: 40,
        })
        .map((all) => all.join("")),
    );
    await fc.assert(
      fc.asyncProperty(any, any, async (subject, body) => {
        const read = await PostalMime.parse(unstuff(build({ subject, body }).wire));
        expect(wordsOf(read.subject ?? "")).toBe(wordsOf(subject));
        expect(linesOf(read.text ?? "")).toBe(linesOf(body));
        expect(read.headers.map((header) => header.key)).toEqual(fieldNames);
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    ["rasa@müller.example", "rasa@xn--mller-kva.example", false],
    ["rūta@example.org", "rūta@example.org", true],
  ])("recipient %s becomes %s; SMTPUTF8 needed: %s", async (to, recipient, smtpUtf8) => {
    const built = build({ to });
    expect(built).toMatchObject({ recipient, envelope: { smtpUtf8, eightBit: smtpUtf8 } });
    expect((await PostalMime.parse(unstuff(built.wire))).to).toMatchObject([{ address: recipient }]);
  });

  it("a line with a single dot does not end the message early", () => {
    expect(build({ body: "a\n.\nb" }).wire.toString()).toMatch(/\r\na\r\n\.\.\r\nb\r\n$/);
  });
});

const fieldNames = "date from to subject message-id mime-version content-type content-transfer-encoding".split(" ");

/**
 * Normalises a subject for comparison: composing replaces control characters by spaces, and parsers may fold runs of
 * spaces.
 */
const wordsOf = (text: string) =>
  text
    .toWellFormed()
    .replace(/[\p{Cc}\u2028\u2029\s]+/gu, " ")
    .trim();

const linesOf = (text: string) =>
  text
    .toWellFormed()
    .replace(/\r\n|\r|\n/g, "\n")
    .replace(/\n+$/, "");
