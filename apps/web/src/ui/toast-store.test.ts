import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { closeToast, readToast, showFailure, showToast } from "./toast-store.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  closeToast();
  vi.runAllTimers();
  vi.useRealTimers();
});

test("a new toast replaces the previous one", () => {
  showToast({ title: "Alias Paused" });
  const first = readToast()?.id;
  showFailure("Toggle Failed", "Failed to toggle alias");
  expect(readToast()).toMatchObject({ title: "Toggle Failed", variant: "bad", open: true });
  expect(readToast()?.id).not.toBe(first);
});

test("a dismissed toast is removed 1000 ms later", () => {
  showToast({ title: "Alias Paused" });
  closeToast();
  expect(readToast()).toMatchObject({ open: false });
  vi.advanceTimersByTime(999);
  expect(readToast()).not.toBeNull();
  vi.advanceTimersByTime(1);
  expect(readToast()).toBeNull();
});

test("removing a dismissed toast does not remove its successor", () => {
  showToast({ title: "Alias Paused" });
  closeToast();
  vi.advanceTimersByTime(500);
  showToast({ title: "Alias Activated" });
  vi.advanceTimersByTime(5000);
  expect(readToast()).toMatchObject({ title: "Alias Activated", open: true });
});
