import { emailJobStatuses } from "@kauke/contract";
import { describe, expect, it } from "vitest";
import { nextStep, type Progress } from "./job-progress.ts";

const progress = (change: Partial<Progress> = {}): Progress => ({
  status: "pending",
  currentRetries: 0,
  maxRetries: 3,
  lastError: null,
  ...change,
});
const step = (change: Partial<Progress>, retriesShown = 0) =>
  nextStep(progress(change), { to: "rasa@example.org", retriesShown });

describe("the status of an e-mail job", () => {
  it("shows no toast while the message waits or is being sent", () => {
    for (const status of ["pending", "sending"]) expect(step({ status })).toEqual({ isOver: false, toast: null });
  });

  it("shows a toast for a sent message and ends the tracking", () => {
    expect(step({ status: "sent" })).toMatchObject({ isOver: true, toast: { title: "Email sent", variant: "good" } });
  });

  it("shows the retries used and the last error of a failed message", () => {
    const lastError = "The recipient's address did not take it: the mailbox is full.";
    expect(step({ status: "failed", currentRetries: 3, lastError }).toast).toEqual({
      title: "Email failed to send",
      description: `Retries: 3/3. ${lastError}`,
      variant: "bad",
    });
    expect(step({ status: "failed" }).toast?.description).toBe("Retries: 0/3. Unknown error");
  });

  it("ends the tracking of a cancelled message without a toast", () => {
    expect(step({ status: "cancelled", currentRetries: 2 })).toEqual({ isOver: true, toast: null });
  });

  it("shows one toast for each retry", () => {
    const first = step({ currentRetries: 1, lastError: "It was busy." });
    expect(first).toEqual({
      isOver: false,
      toast: {
        title: "Email retry in progress",
        description: "Retry 1/3. Previous error: It was busy.",
        variant: "info",
      },
    });
    expect(step({ status: "sending", currentRetries: 1 }, 1).toast).toBeNull();
    expect(step({ currentRetries: 2 }, 1).toast?.description).toBe("Retry 2/3. Previous error: Unknown error");
  });

  it("counts as waiting if this page does not know the status, and still shows retries", () => {
    expect(step({ status: "paused-by-a-newer-server" })).toEqual({ isOver: false, toast: null });
    expect(step({ status: "queued", currentRetries: 1 }).toast?.title).toBe("Email retry in progress");
  });

  it("ends the tracking for exactly sent, failed and cancelled", () => {
    expect(emailJobStatuses.filter((status) => step({ status }).isOver)).toEqual(["sent", "failed", "cancelled"]);
  });
});
