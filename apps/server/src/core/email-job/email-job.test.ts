import { type EmailJobStatus, emailJobStatuses } from "@kauke/contract";
import { describe, expect, it } from "vitest";
import { isEnd, type JobEvent, jobEvents, lastErrorOf, nextStatus, statesBefore } from "./email-job.ts";

/** The next status for every status and event; `null`: the event cannot happen. */
const expected: Record<EmailJobStatus, Record<JobEvent, EmailJobStatus | null>> = {
  pending: { claim: "sending", retry: null, deliver: null, fail: null, cancel: "cancelled" },
  sending: { claim: "sending", retry: "pending", deliver: "sent", fail: "failed", cancel: null },
  sent: { claim: null, retry: null, deliver: null, fail: null, cancel: null },
  failed: { claim: null, retry: null, deliver: null, fail: null, cancel: null },
  cancelled: { claim: null, retry: null, deliver: null, fail: null, cancel: null },
};

describe("the states of a composed message", () => {
  for (const status of emailJobStatuses) {
    it.each(jobEvents)(`${status}, then %s`, (event) => {
      expect(nextStatus(status, event)).toBe(expected[status][event]);
      expect(statesBefore(event).includes(status)).toBe(expected[status][event] !== null);
    });
  }

  it("the final states are sent, failed and cancelled", () => {
    expect(emailJobStatuses.filter(isEnd)).toEqual(["sent", "failed", "cancelled"]);
  });
});

it.each([
  ["at_provider", null],
  ["provider_silent", "It may have been sent or not: the provider that sends our mail did not respond."],
  ["provider_busy", "It was not sent: the provider that sends our mail takes no more for now."],
  ["mailbox_unknown", "The recipient's address did not take it: there is no such mailbox."],
] as const)("after the failure %s a person reads %j", (code, text) => {
  expect(lastErrorOf({ lastFailure: { code, enhancedStatus: "4.0.0" } })).toBe(text);
});
