import { emailJobMessages, heldReasons, type RecipientKind } from "@kauke/contract";
import { searchQuickly, searchTypedText } from "@kauke/leak-guard";
import { unstuff } from "@kauke/mail-rfc";
import * as fc from "fast-check";
import PostalMime from "postal-mime";
import { describe, expect, it, test } from "vitest";
import type { LeakGuard } from "../leak-guard.ts";
import { buildMessage, createEmailJob, findTypedLeak } from "./create-email-job.ts";

const typed = {
  aliasAddress: "shop.k7@kauke.test",
  aliasDomain: "kauke.test",
  recipients: [{ kind: "to" as RecipientKind, address: "rasa@example.org" }],
  subject: "Contract",
  body: "Hi Rasa",
};
const context = { now: new Date("2026-03-01T12:00:00.000Z"), random: new Uint8Array(32).fill(7) };
const build = (change: Partial<typeof typed> = {}) => {
  const built = buildMessage({ ...typed, ...change }, context);
  return { ...built, wire: Buffer.concat(built.wire) };
};

describe("a composed message", () => {
  it("is sent from the alias, with a Message-ID made only of random characters and the alias' domain", () => {
    const { envelope, messageId, recipients } = build();
    expect(envelope).toMatchObject({
      envelopeFrom: "shop.k7@kauke.test",
      helo: "",
      clientAddress: "",
      smtpUtf8: false,
    });
    expect(messageId).toMatch(/^<[a-z2-7]{26}@kauke\.test>$/);
    expect(recipients).toEqual(typed.recipients);
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
    const built = build({ recipients: [{ kind: "to", address: to }] });
    expect(built).toMatchObject({
      recipients: [{ kind: "to", address: recipient }],
      envelope: { smtpUtf8, eightBit: smtpUtf8 },
    });
    expect((await PostalMime.parse(unstuff(built.wire))).to).toMatchObject([{ address: recipient }]);
  });

  it("names those of To and Cc, and nobody of Bcc, whose address alone needs no SMTPUTF8", async () => {
    const recipients = [
      { kind: "to" as const, address: "rasa@example.org" },
      { kind: "cc" as const, address: "jonas@müller.example" },
      { kind: "bcc" as const, address: "rūta@example.org" },
    ];
    const { wire, envelope } = build({ recipients });
    const read = await PostalMime.parse(unstuff(wire));
    expect([read.to, read.cc]).toMatchObject([
      [{ address: "rasa@example.org" }],
      [{ address: "jonas@xn--mller-kva.example" }],
    ]);
    expect(wire.toString()).not.toMatch(/bcc|rūta/i);
    expect(envelope).toMatchObject({ smtpUtf8: false, eightBit: false });
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

const mailboxes = ["Jonas+shops@inbox.example"];
let asked = 0;
/** The real search, run in this process instead of the guard's; it does not say where in a text. */
const leakGuard: LeakGuard = {
  async search({ content, mailboxes: wanted }) {
    if (content.kind === "message") throw new Error("only typed text is searched");
    const found = searchQuickly(content, wanted);
    if (found !== "unsure") return found;
    asked += 1;
    return searchTypedText(content.text, wanted);
  },
};
const leakOf = (body: string, subject = "Contract") =>
  findTypedLeak({ subject, body }, { userId: "u", mailboxes, leakGuard });

test.each([
  "jonas+shops@inbox.example",
  "Write to JONAS@Inbox.Example, please",
  "the other tag: jonas+news@inbox.example",
  "> On Monday <jonas@inbox.example> wrote:\n> yes",
  "jo\u00adnas@inbox.example",
  "https://shop.example/?u=jonas%40inbox.example",
])("the message %j leaks, which is found without the guard's process", async (body) => {
  asked = 0;
  expect(await leakOf(body)).toMatchObject({ field: "body", message: emailJobMessages.bodyLeaks });
  expect(asked).toBe(0);
});

test("a long message is searched by the guard's process, line by line", async () => {
  asked = 0;
  const filling = "nothing here\n".repeat(2000);
  expect(await leakOf(`${filling}jonas@inbox.example`)).toMatchObject({
    field: "body",
    message: emailJobMessages.bodyLeaks,
  });
  expect(await leakOf(filling)).toBeNull();
  expect(asked).toBe(2);
});

test("encoded data is searched by the guard's process, and the error names it", async () => {
  const token = Buffer.from('{"mail":"jonas@inbox.example"}').toString("base64url");
  const message = emailJobMessages.bodyLeaksEncoded;
  expect(await leakOf(`https://list.example/out?t=${token}`)).toMatchObject({ field: "body", message, places: [] });
  expect(await leakOf(`https://list.example/out?t=${"YWJj".repeat(20)}`)).toBeNull();
  expect(await leakOf(`https://track.example/t?s=${btoa("jonas@inbox.example")}`)).toMatchObject({
    field: "body",
    message,
    places: [],
  });
});

test("a message that cannot be searched completely is refused", async () => {
  const unsearched: LeakGuard = {
    search: async () => ({ leak: "unpacks_too_far", place: { part: "", kind: "text", line: null } }),
  };
  const body = "YWJj".repeat(20);
  expect(await findTypedLeak({ subject: "s", body }, { userId: "u", mailboxes, leakGuard: unsearched })).toEqual({
    field: "body",
    message: emailJobMessages.bodyUnsearched,
    places: [],
  });
});

test("a leak in the subject is found; with one in the body too, the error names the body", async () => {
  expect((await leakOf("nothing here", "About jonas@inbox.example"))?.field).toBe("subject");
  expect((await leakOf("jonas@inbox.example", "jonas@inbox.example"))?.field).toBe("body");
});

test.each(["joe.jonas@inbox.example", "jonas@inbox.example.org", "jonas at inbox", "https://hooks.example.org/x"])(
  "the message %j does not leak",
  async (body) => {
    expect(await leakOf(body)).toBeNull();
  },
);

test("an alias that the forwarding provider has switched off can't send, and the error says why", async () => {
  const deps = {
    clock: { now: () => context.now },
    aliases: { listWithSmtp: async () => [{ id: "a", routing: { state: "active" } }] },
    mailDomains: { whyNotSending: () => null },
    forwarding: { about: { name: "Forward Email", smtpHost: "smtp.provider.example" } },
    providerAliases: { heldOf: async () => "unconfirmed" },
  };
  const input = { jobId: null, userId: "u", aliasId: "a", scheduledAt: null };
  const message = `${emailJobMessages.senderHeld} ${heldReasons.unconfirmed}`;
  await expect(createEmailJob(deps as never, input as never)).rejects.toMatchObject({
    details: { errors: { fromAliasId: [message] } },
  });
});
