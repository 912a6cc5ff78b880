import { describe, expect, it } from "vitest";
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

describe("a message to queue", () => {
  it.each([
    [{}],
    [{ useEncryption: false, recipientPublicKey: null, priority: 10, scheduledAt: null }],
    [{ priority: 0, scheduledAt: "2026-03-01T12:00:00+02:00" }],
    [{ recipientPublicKey: "" }],
    [{ fromAliasId: whole.fromAliasId.toUpperCase() }],
    [{ body: "ž".repeat(limits.messageBodyMaxBytes / 2) }],
    [{ subject: "s".repeat(limits.subjectMax) }],
  ])("accepts %o", (change) => {
    expect(messagesOf(change)).toEqual([]);
  });

  it.each([
    [{ to: "rasa" }, "Please enter a valid email address"],
    [{ to: undefined }, "Please enter a valid email address"],
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
