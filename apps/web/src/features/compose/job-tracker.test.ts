import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ApiError } from "../../api/api-error.ts";
import { dismissToast, readToast } from "../../ui/toast-store.ts";
import { followJob, type JobAnswer, type JobCalls, POLL_EVERY_MS } from "./job-tracker.ts";

const pending: JobAnswer = { success: true, status: "pending", currentRetries: 0, maxRetries: 3, lastError: null };
let made = 0;

/** Follows a job on a fake server that returns these statuses in turn, then the last one repeatedly. */
function follow(statuses: (JobAnswer | Error)[], change: Partial<JobCalls & { undoSeconds: number }> = {}) {
  const asked: string[] = [];
  const { undoSeconds = 6, ...calls } = change;
  followJob({ jobId: `job-${++made}`, canUndo: true, undoSeconds }, "rasa@example.org", {
    readStatus: async (jobId) => {
      const status = statuses[Math.min(asked.push(jobId), statuses.length) - 1];
      if (status === undefined || status instanceof Error) throw status;
      return status;
    },
    cancel: async () => {},
    reopen: () => {},
    isStillSignedIn: () => true,
    ...calls,
  });
  return asked;
}

const pollOnce = () => vi.advanceTimersByTimeAsync(POLL_EVERY_MS);

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  dismissToast();
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
    const asked = follow([pending], { reopen: () => void reopened++ });
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
