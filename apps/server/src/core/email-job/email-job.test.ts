import { type EmailJobStatus, emailJobStatuses } from "@kauke/contract";
import { describe, expect, it } from "vitest";
import type { FailureCode } from "../delivery/delivery.ts";
import { isEnd, type JobRecipient, jobStatus, lastErrorOf } from "./email-job.ts";

describe("the status of a composed message", () => {
  it.each<[EmailJobStatus[], EmailJobStatus]>([
    [["pending"], "pending"],
    [["pending", "sending"], "sending"],
    [["sent", "sending"], "sending"],
    [["sent", "pending"], "pending"],
    [["failed", "pending"], "pending"],
    [["sent", "sent"], "sent"],
    [["sent", "failed", "cancelled"], "sent"],
    [["failed", "cancelled"], "failed"],
    [["cancelled", "cancelled"], "cancelled"],
  ])("with recipients %j is %s", (states, status) => {
    expect(jobStatus(states)).toBe(status);
    expect(jobStatus(states.toReversed())).toBe(status);
  });

  it("is final if it is sent, failed or cancelled", () => {
    expect(emailJobStatuses.filter(isEnd)).toEqual(["sent", "failed", "cancelled"]);
  });
});

const withFailure = (state: EmailJobStatus, code?: FailureCode): JobRecipient => ({
  kind: "to",
  address: null,
  state,
  failure: code === undefined ? null : { code, enhancedStatus: "4.0.0" },
});

it.each([
  ["at_provider", null],
  ["provider_silent", "It may have been sent or not: the provider that sends our mail did not respond."],
  ["provider_busy", "It was not sent: the provider that sends our mail takes no more for now."],
  ["mailbox_unknown", "The recipient's address did not take it: there is no such mailbox."],
] as const)("after the failure %s a person reads %j", (code, text) => {
  expect(lastErrorOf({ status: "failed", recipients: [withFailure("failed", code)] })).toBe(text);
});

it("of several recipients, a person reads for how many the message failed, and why", () => {
  const unknown = withFailure("failed", "mailbox_unknown");
  const recipients = [withFailure("sent"), unknown, unknown, withFailure("failed", "provider_silent")];
  expect(lastErrorOf({ status: "sent", recipients })).toBe(
    "For 2 of 4 recipients: The recipient's address did not take it: there is no such mailbox. " +
      "For 1 of 4 recipients: It may have been sent or not: the provider that sends our mail did not respond.",
  );
  expect(lastErrorOf({ status: "sent", recipients: [withFailure("sent"), withFailure("sent")] })).toBeNull();
  expect(lastErrorOf({ status: "sent", recipients: [withFailure("sent"), withFailure("cancelled")] })).toBe(
    "For 1 of 2 recipients: It was not sent, because the alias was paused, changed or deleted.",
  );
  expect(
    lastErrorOf({ status: "cancelled", recipients: [withFailure("cancelled"), withFailure("cancelled")] }),
  ).toBeNull();
});
