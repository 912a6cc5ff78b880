/** Forwarded copies with rewritten calendars: the memory they reserve, and that a retry makes an identical copy. */
import { createHash } from "node:crypto";
import { invitations } from "@kauke/invitations";
import { readHeader } from "@kauke/mail-rfc";
import { answerWording } from "@kauke/quotes";
import { expect, test } from "vitest";
import { BackgroundMemory, MemoryBudget } from "../../limits/bytes.ts";
import { type CopyParts, type ForwardSource, makePlainCopy } from "./forward-copy.ts";
import { messageSigner } from "./message-signer.ts";

const attendees = Array.from({ length: 50 }, (_, index) => `ATTENDEE:mailto:p${index}@x.test\r\n`).join("");
const calendar = `BEGIN:VCALENDAR\r\n${attendees}END:VCALENDAR\r\n`;
const plain = "From: ann@x.test\r\nSubject: hello\r\n\r\nno calendar\r\n";
const invitation = `From: ann@x.test\r\nContent-Type: text/calendar\r\n\r\n${calendar}`;
const signed = invitation.replace("text/calendar", "text/calendar; charset=utf-7");

function partsOf(budget: MemoryBudget, copyMemory = new BackgroundMemory(budget)): CopyParts {
  return {
    rules: {
      mailHost: "mx.kauke.test",
      domains: new Set(["kauke.test"]),
      srsHash: (data) => createHash("sha256").update(data).digest(),
    },
    invitations: invitations(answerWording),
    signer: messageSigner([], () => new Date(0)),
    signsArcFor: () => false,
    copyMemory,
    webhookBodies: { make: () => Promise.reject(new Error("no webhook here")) },
    encrypter: { encrypt: () => Promise.reject(new Error("nothing is encrypted here")), encryptedLength: () => 0 },
    onEncryptionFailed: async () => {},
  };
}

function sourceOf(message: string): ForwardSource {
  const wire = Buffer.from(message);
  return {
    messageId: "6a1f",
    envelope: {
      envelopeFrom: "ann@x.test",
      helo: "x.test",
      clientAddress: "192.0.2.1",
      protocol: "ESMTP",
      receivedAt: new Date(0),
      eightBit: false,
      smtpUtf8: false,
    },
    wire,
    header: readHeader(wire),
    aliasAddress: "shop@kauke.test",
    aliasId: "a",
    replyKey: Buffer.alloc(32, 7),
    account: "u",
    webhookSecret: null,
    encryptTo: null,
    mayNameSender: true,
  };
}

async function makeMail(message: string, budget = new MemoryBudget(1_000_000)) {
  const copy = makePlainCopy(sourceOf(message), partsOf(budget));
  const { wire, sizeBytes } = await copy.mailTo("olga@inbox.example");
  const bytes = Buffer.concat(wire() ?? []);
  expect(bytes).toHaveLength(sizeBytes);
  return { copy, bytes, used: budget.usedBytes };
}

test.each([
  ["a message without a calendar reserves no memory", plain, 0],
  ["an invitation holds its new calendar", invitation, calendar.length],
  ["a hidden invitation holds its new header, not its body", signed, 500],
])("%s besides the received bytes", async (_, message, expected) => {
  const budget = new MemoryBudget(1_000_000);
  const { copy, used } = await makeMail(message, budget);
  expect(used).toBeGreaterThanOrEqual(expected);
  expect(used).toBeLessThanOrEqual(expected * 4);
  await copy.mailTo("jonas@inbox.example");
  expect(budget.usedBytes).toBe(used);
  copy.release();
  expect(budget.usedBytes).toBe(0);
});

test("a copy is not sent, and reserves nothing, while its account uses its share of the memory", async () => {
  const budget = new MemoryBudget(4000);
  const memory = new BackgroundMemory(budget);
  const others = 900;
  memory.hold({ bytes: others, parties: () => ["of u"], evict() {} });
  const copy = makePlainCopy(sourceOf(invitation), partsOf(budget, memory));
  await expect(copy.mailTo("olga@inbox.example")).rejects.toThrow("no room");
  copy.release();
  expect(budget.usedBytes).toBe(others);
});

test.each([invitation, signed])("a retry makes an identical copy from the same bytes", async (message) => {
  const [first, second] = [await makeMail(message), await makeMail(message)];
  expect(second.bytes.equals(first.bytes)).toBe(true);
  expect(second.copy.correspondents).toEqual(first.copy.correspondents);
});

test("everybody in a calendar is a correspondent before the copy is sent", () => {
  const copy = makePlainCopy(sourceOf(invitation), partsOf(new MemoryBudget(1_000_000)));
  expect(copy.correspondents.map(({ address }) => address)).toEqual([
    "ann@x.test",
    ...Array.from({ length: 50 }, (_, index) => `p${index}@x.test`),
  ]);
});
