import { emailJobStatuses } from "@kauke/contract";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ApiError } from "../../api/api-error.ts";
import { closeToast, readToast } from "../../ui/toast-store.ts";
import { followJob, type JobCalls, nextStep, POLL_EVERY_MS, type PolledJob, type Progress } from "./job-tracker.ts";

const pending: PolledJob = { success: true, status: "pending", currentRetries: 0, maxRetries: 3, lastError: null };
let made = 0;

/** Follows a job on a fake server that returns these statuses in turn, then the last one repeatedly. */
function follow(statuses: (PolledJob | Error)[], change: Partial<JobCalls & { undoSeconds: number }> = {}) {
  const asked: string[] = [];
  const { undoSeconds = 6, ...calls } = change;
  followJob({ jobId: `job-${++made}`, canUndo: true, undoSeconds }, "rasa@example.org", {
    readStatus: async (jobId) => {
      const status = statuses[Math.min(asked.push(jobId), statuses.length) - 1];
      if (status === undefined || status instanceof Error) throw status;
      return status;
    },
    cancel: async () => {},
    reopen: async () => {},
    onEnd: () => {},
    isStillSignedIn: () => true,
    ...calls,
  });
  return asked;
}

const pollOnce = () => vi.advanceTimersByTimeAsync(POLL_EVERY_MS);

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  closeToast();
  vi.clearAllTimers();
  vi.useRealTimers();
});

describe("an enqueued message", () => {
  it("shows a toast with Undo until one second before the undo period ends", () => {
    follow([pending]);
    expect(readToast()).toMatchObject({ title: "Email queued", description: "To rasa@example.org", visibleMs: 5000 });
    expect(readToast()?.action?.label).toBe("Undo");
    follow([pending], { undoSeconds: 30 });
    expect(readToast()?.visibleMs).toBe(29_000);
  });

  it("is polled every two seconds until it is sent", async () => {
    const asked = follow([pending, { ...pending, status: "sending" }, { ...pending, status: "sent" }]);
    await vi.advanceTimersByTimeAsync(POLL_EVERY_MS - 1);
    expect(asked).toHaveLength(0);
    await vi.advanceTimersByTimeAsync(1);
    expect(asked).toHaveLength(1);
    await pollOnce();
    expect(readToast()?.title).toBe("Email queued");
    await pollOnce();
    expect(readToast()?.title).toBe("Email sent");
    await vi.advanceTimersByTimeAsync(20_000);
    expect(asked).toHaveLength(3);
  });

  it("is still polled while its status is one that this page does not know", async () => {
    const asked = follow([
      { ...pending, status: "waiting-for-review" },
      { ...pending, status: "sent" },
    ]);
    await pollOnce();
    expect(readToast()?.title).toBe("Email queued");
    await pollOnce();
    expect(readToast()?.title).toBe("Email sent");
    expect(asked).toHaveLength(2);
  });

  it("shows each retry once", async () => {
    follow([{ ...pending, currentRetries: 1, lastError: "It was busy." }]);
    await pollOnce();
    expect(readToast()?.title).toBe("Email retry in progress");
    const shown = readToast()?.id;
    await pollOnce();
    expect(readToast()?.id).toBe(shown);
  });

  it.each([
    ["a poll fails", [new Error("down")], {}],
    ["the response is not a success", [{ ...pending, success: false, status: "failed" }], {}],
    ["its sender has signed out", [pending], { isStillSignedIn: () => false }],
    ["it was cancelled elsewhere", [{ ...pending, status: "cancelled" }], {}],
  ])("is no longer tracked when %s, without a toast", async (_, statuses, change) => {
    const asked = follow(statuses, change);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(asked.length).toBeLessThanOrEqual(1);
    expect(readToast()?.title).toBe("Email queued");
  });

  it("goes back to the form when undone, with a toast, and is not polled any more", async () => {
    let reopened = 0;
    const asked = follow([pending], { reopen: async () => void reopened++ });
    readToast()?.action?.onAct();
    await vi.advanceTimersByTimeAsync(0);
    expect(readToast()).toMatchObject({
      title: "Email sending cancelled",
      description: "Your email has been successfully cancelled and will not be sent.",
    });
    expect(reopened).toBe(1);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(asked).toHaveLength(0);
  });

  it.each([
    [
      new ApiError({ status: 409, message: "The email may have already been sent." }),
      "The email may have already been sent.",
    ],
    [new Error("anything"), "The email may have already been sent."],
    [new ApiError({ status: 404, message: "Email job not found" }), "Email job not found"],
  ])("undone too late (%s), shows the reason and is still tracked", async (error, description) => {
    const asked = follow([pending], { cancel: () => Promise.reject(error) });
    readToast()?.action?.onAct();
    await vi.advanceTimersByTimeAsync(0);
    expect(readToast()).toMatchObject({ title: "Unable to cancel email", description, variant: "bad" });
    await pollOnce();
    expect(asked).toHaveLength(1);
  });

  it("is tracked independently of another one", async () => {
    const [first, second] = [follow([{ ...pending, status: "sent" }]), follow([pending])];
    await pollOnce();
    await pollOnce();
    expect([first.length, second.length]).toEqual([1, 2]);
  });
});

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
