import { afterEach, beforeEach, expect, test, vi } from "vitest";
import {
  clearUndo,
  describeUndo,
  holdUndo,
  offerUndo,
  readUndoRows,
  releaseUndo,
  UNDO_MS,
  undo,
  withdrawUndo,
} from "./undo-store.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  clearUndo();
  vi.useRealTimers();
});

const titles = () => readUndoRows().map(({ title }) => title);
const act = (title: string, more = {}) => ({ title, undo: vi.fn(async () => {}), ...more });

test("the newest act is on top, and each leaves after ten seconds of its own", () => {
  offerUndo(act("first"));
  vi.advanceTimersByTime(4000);
  offerUndo(act("second"));
  expect(titles()).toEqual(["second", "first"]);
  vi.advanceTimersByTime(UNDO_MS - 4000);
  expect(titles()).toEqual(["second"]);
  vi.advanceTimersByTime(4000);
  expect(titles()).toEqual([]);
});

test("an act is undone once, and not after its time", async () => {
  const [one, late] = [act("one"), act("late")];
  const id = offerUndo(one);
  await Promise.all([undo(id), undo(id)]);
  expect(one.undo).toHaveBeenCalledTimes(1);
  const lateId = offerUndo(late);
  vi.advanceTimersByTime(UNDO_MS);
  await undo(lateId);
  expect(late.undo).not.toHaveBeenCalled();
});

test("a held row's time stands still and goes on afterwards", () => {
  const id = offerUndo(act("held"));
  vi.advanceTimersByTime(9000);
  holdUndo(id);
  vi.advanceTimersByTime(60_000);
  expect(titles()).toEqual(["held"]);
  releaseUndo(id);
  vi.advanceTimersByTime(999);
  expect(titles()).toEqual(["held"]);
  vi.advanceTimersByTime(1);
  expect(titles()).toEqual([]);
});

test("what has an end of its own is shown no longer, held or not", () => {
  const end = (seconds: number) => ({ endsAt: Date.now() + seconds * 1000 });
  offerUndo(act("short", end(3)));
  const id = offerUndo(act("held", end(11)));
  holdUndo(id);
  vi.advanceTimersByTime(3000);
  expect(titles()).toEqual(["held"]);
  vi.advanceTimersByTime(7500);
  releaseUndo(id);
  vi.advanceTimersByTime(499);
  expect(titles()).toEqual(["held"]);
  vi.advanceTimersByTime(1);
  expect(titles()).toEqual([]);
});

test("a row can be described anew and withdrawn", () => {
  const id = offerUndo(act("gone", { description: "12 aliases" }));
  describeUndo(id, "9 aliases");
  expect(readUndoRows()[0]?.description).toBe("9 aliases");
  withdrawUndo(id);
  describeUndo(id, "none");
  expect(titles()).toEqual([]);
});
