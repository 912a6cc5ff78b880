import { expect, test } from "vitest";
import { waitingText } from "./Outbox.tsx";

const now = new Date("2026-03-05T10:00:00");
const at = (seconds: number) => new Date(now.getTime() + seconds * 1000).toISOString();
const job = { status: "pending", scheduledAt: at(3), currentRetries: 0, maxRetries: 3 } as const;

test("a waiting message's text says what it waits for", () => {
  expect(waitingText(job, now)).toBe("Leaves in a moment");
  expect(waitingText({ ...job, scheduledAt: at(4.5 * 3600) }, now)).toBe("Leaves at 14:30");
  expect(waitingText({ ...job, status: "sending" }, now)).toBe("Being sent");
  expect(waitingText({ ...job, currentRetries: 2 }, now)).toBe("Retry 2/3 in a moment");
  expect(waitingText({ ...job, currentRetries: 2, scheduledAt: at(4.5 * 3600) }, now)).toBe("Retry 2/3 at 14:30");
});
