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
const step = (change: Partial<Progress>, retriesTold = 0) =>
  nextStep(progress(change), { to: "rasa@example.org", retriesTold });

describe("what a status says", () => {
  it("a message that waits or is being sent says nothing", () => {
    for (const status of ["pending", "sending"]) expect(step({ status })).toEqual({ isOver: false, toast: null });
  });

  it("a sent one says so, and is over", () => {
    expect(step({ status: "sent" })).toMatchObject({ isOver: true, toast: { title: "Email sent", variant: "good" } });
  });

  it("a failed one names the retries used and the last error", () => {
    const lastError = "The recipient's address did not take it: the mailbox is full.";
    expect(step({ status: "failed", currentRetries: 3, lastError }).toast).toEqual({
      title: "Email failed to send",
      description: `Retries: 3/3. ${lastError}`,
      variant: "bad",
    });
    expect(step({ status: "failed" }).toast?.description).toBe("Retries: 0/3. Unknown error");
  });

  it("a cancelled one is over without a word", () => {
    expect(step({ status: "cancelled", currentRetries: 2 })).toEqual({ isOver: true, toast: null });
  });

  it("a retry is told once for each change of its number", () => {
    const told = step({ currentRetries: 1, lastError: "It was busy." });
    expect(told).toEqual({
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

  it("a status that this page does not know means waiting, with its retries", () => {
    expect(step({ status: "paused-by-a-newer-server" })).toEqual({ isOver: false, toast: null });
    expect(step({ status: "queued", currentRetries: 1 }).toast?.title).toBe("Email retry in progress");
  });

  it("exactly the ends are over", () => {
    expect(emailJobStatuses.filter((status) => step({ status }).isOver)).toEqual(["sent", "failed", "cancelled"]);
  });
});
