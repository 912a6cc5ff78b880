import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type Deletion, deleteLater, readHidden, sendNow, UNDO_MS, undoDeletion } from "./pending-deletion.ts";

/** Replaces the browser's window and document, whose events trigger a waiting deletion. */
class FakeTarget extends EventTarget {
  visibilityState = "visible";
}

let page: FakeTarget;
beforeEach(() => {
  vi.useFakeTimers();
  page = new FakeTarget();
  vi.stubGlobal("document", page);
  vi.stubGlobal("window", page);
});
afterEach(async () => {
  await sendNow();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function aDeletion(...aliasIds: string[]) {
  const sent = vi.fn(async () => {});
  const deletion: Deletion = { aliasIds, hasToAsk: false, send: sent };
  return { deletion, sent };
}

test("aliases are hidden at once and deleted after ten seconds", async () => {
  const { deletion, sent } = aDeletion("a", "b");
  deleteLater(deletion);
  expect([...readHidden()]).toEqual(["a", "b"]);
  await vi.advanceTimersByTimeAsync(UNDO_MS - 1);
  expect(sent).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(sent).toHaveBeenCalledOnce();
  // After the request, deleted aliases are absent from the list's own data and need not be hidden.
  expect(readHidden().size).toBe(0);
});

test("a deletion undone in time shows the aliases again and sends nothing; later it can't be undone", async () => {
  const { deletion, sent } = aDeletion("a");
  deleteLater(deletion);
  expect(undoDeletion(deletion)).toBe(true);
  expect(readHidden().size).toBe(0);
  await vi.advanceTimersByTimeAsync(2 * UNDO_MS);
  expect(sent).not.toHaveBeenCalled();
  expect(undoDeletion(deletion)).toBe(false);
});

test("another deletion sends the one that waits at once", () => {
  const [first, second] = [aDeletion("a"), aDeletion("b")];
  deleteLater(first.deletion);
  deleteLater(second.deletion);
  expect([first.sent.mock.calls.length, second.sent.mock.calls.length]).toEqual([1, 0]);
  expect(undoDeletion(first.deletion)).toBe(false);
  expect(undoDeletion(second.deletion)).toBe(true);
});

test("closing the page sends the waiting deletion at once, and only once", async () => {
  const { deletion, sent } = aDeletion("a");
  deleteLater(deletion);
  page.dispatchEvent(new Event("pagehide"));
  expect(sent).toHaveBeenCalledOnce();
  page.dispatchEvent(new Event("pagehide"));
  await vi.advanceTimersByTimeAsync(UNDO_MS);
  expect(sent).toHaveBeenCalledOnce();
});

test("a hidden page sends nothing; the ten seconds begin again when it is shown", async () => {
  const { deletion, sent } = aDeletion("a");
  deleteLater(deletion);
  await vi.advanceTimersByTimeAsync(UNDO_MS - 1);
  page.visibilityState = "hidden";
  page.dispatchEvent(new Event("visibilitychange"));
  await vi.advanceTimersByTimeAsync(100 * UNDO_MS);
  expect(sent).not.toHaveBeenCalled();
  page.visibilityState = "visible";
  page.dispatchEvent(new Event("visibilitychange"));
  await vi.advanceTimersByTimeAsync(UNDO_MS - 1);
  expect(sent).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(sent).toHaveBeenCalledOnce();
});

test("the browser asks before it closes a page whose deletion request is too large to be sent on closing", () => {
  const isAsked = () => {
    const leaving = new Event("beforeunload", { cancelable: true });
    page.dispatchEvent(leaving);
    return leaving.defaultPrevented;
  };
  const { deletion } = aDeletion("a");
  deleteLater(deletion);
  expect(isAsked()).toBe(false);
  const large = { ...aDeletion("b").deletion, hasToAsk: true };
  deleteLater(large);
  expect(isAsked()).toBe(true);
  undoDeletion(large);
  expect(isAsked()).toBe(false);
});
