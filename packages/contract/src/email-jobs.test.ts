import { describe, expect, it } from "vitest";
import { uniqueRecipients } from "./email-job-facts.ts";
import { createEmailJobBody } from "./email-jobs.ts";
import { limits } from "./limits.ts";

const whole = {
  to: "rasa@example.org",
  subject: "Contract",
  body: "Hi",
  fromAliasId: "3f0f9b0e-5d3c-4a43-9d8e-0d6e4c1f2a11",
};
const messagesOf = (change: Record<string, unknown>) =>
  createEmailJobBody.safeParse({ ...whole, ...change }).error?.issues.map((issue) => issue.message) ?? [];

const addresses = (count: number) => Array.from({ length: count }, (_, at) => `p${at}@example.org`);

it("each recipient counts once, in the order of To, Cc, Bcc", () => {
  const lists = {
    to: ["B@example.org", "a@example.org"],
    cc: ["b@EXAMPLE.org"],
    bcc: ["c@example.org", "a@example.org"],
  };
  expect(uniqueRecipients(lists)).toEqual([
    { kind: "to", address: "B@example.org" },
    { kind: "to", address: "a@example.org" },
    { kind: "bcc", address: "c@example.org" },
  ]);
  expect(uniqueRecipients({ to: "a@example.org" })).toEqual([{ kind: "to", address: "a@example.org" }]);
  const spellings = ["a@bücher.example", "A@BÜCHER.example", "a@xn--bcher-kva.example", "ä@xn--bcher-kva.example"];
  expect(uniqueRecipients({ to: spellings }).map(({ address }) => address)).toEqual([spellings[0], spellings[3]]);
});

describe("a message to queue", () => {
  it.each([
    [{}],
    [{ useEncryption: false, recipientPublicKey: null, priority: 10, scheduledAt: null }],
    [{ priority: 0, scheduledAt: "2026-03-01T12:00:00+02:00" }],
    [{ recipientPublicKey: "" }],
    [{ to: ["rasa@example.org", "jonas@example.org"], cc: [], bcc: ["ruta@example.org"] }],
    [{ to: addresses(25), cc: addresses(25), bcc: addresses(50) }],
    [{ useEncryption: true, recipientPublicKeys: ["age1x"] }],
    [{ useEncryption: true, recipientPublicKey: "age1x", cc: ["jonas@example.org"], bcc: ["rasa@example.org"] }],
    [{ fromAliasId: whole.fromAliasId.toUpperCase() }],
    [{ body: "ž".repeat(limits.messageBodyMaxBytes / 2) }],
    [{ subject: "s".repeat(limits.subjectMax) }],
  ])("accepts %o", (change) => {
    expect(messagesOf(change)).toEqual([]);
  });

  it.each([
    [{ to: "rasa" }, "Please enter a valid email address"],
    [{ to: undefined }, "Please enter a valid email address"],
    [{ to: [] }, "Please enter a valid email address"],
    [{ to: { 0: "rasa@example.org" } }, "Please enter a valid email address"],
    [{ to: ["rasa@example.org", "rasa"] }, "Please enter a valid email address: rasa"],
    [
      { cc: ["rasa@example.org\r\nBcc: x@y.example"] },
      "Please enter a valid email address: rasa@example.org\r\nBcc: x@y.example",
    ],
    [{ bcc: ["a".repeat(5000)] }, `Please enter a valid email address: ${"a".repeat(100)}`],
    [{ bcc: "rasa@example.org" }, "Please enter a valid email address"],
    [
      { bcc: ["ruta@example.org"], useEncryption: true, recipientPublicKey: "age1x" },
      "An encrypted message shows how many people can read it, so it can't have Bcc recipients. Send them a message of their own",
    ],
    [{ cc: [7] }, "Please enter a valid email address"],
    [{ to: addresses(51) }, "A message can have 50 recipients at most"],
    [{ to: addresses(50), cc: ["other@example.org"] }, "A message can have 50 recipients at most"],
    [{ useEncryption: true, recipientPublicKeys: [""] }, "Please provide the recipient's public key for encryption."],
    [{ subject: "" }, "Subject is required"],
    [{ subject: "s".repeat(limits.subjectMax + 1) }, "Subject must be 500 characters or less"],
    [{ body: "  " }, "Email body is required"],
    [{ body: "ž".repeat(limits.messageBodyMaxBytes / 2 + 1) }, "The message is too long: 1 MB of text is the most"],
    [{ fromAliasId: "" }, "Please select a sender alias"],
    [{ useEncryption: true }, "Please provide the recipient's public key for encryption."],
    [{ priority: -1 }, "Priority must be a whole number from 0 to 10"],
    [{ priority: 1.5 }, "Priority must be a whole number from 0 to 10"],
    [{ priority: "1" }, "Priority must be a whole number from 0 to 10"],
    [{ scheduledAt: "2026-03-01" }, "Please give the time as an ISO 8601 date and time"],
    [{ scheduledAt: 1 }, "Please give the time as an ISO 8601 date and time"],
  ])("refuses %j", (change, message) => {
    expect(messagesOf(change)).toEqual([message]);
  });
});
