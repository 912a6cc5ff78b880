import { afterEach, expect, test, vi } from "vitest";
import { parseView, storeView } from "./use-list-view.ts";

afterEach(() => void vi.unstubAllGlobals());

const first = { filter: "all", sort: "newest", size: 10 };

test("a list's filter, order and page size are read back as they were stored", () => {
  for (const view of [
    first,
    { filter: { label: "id" }, sort: "domain", size: 50 },
    { filter: "paused", sort: "name", size: 100 },
  ])
    expect(parseView(JSON.stringify(view))).toEqual(view);
});

test.each([null, "", "{", "[]", "null", '{"filter":"x","sort":1}', '{"filter":{"label":3},"size":7}'])(
  "what can't be read is the first view: %s",
  (text) => expect(parseView(text)).toEqual(first),
);

test("the first view is not stored, and choosing it again removes what was stored", () => {
  const entries = new Map<string, string>();
  vi.stubGlobal("sessionStorage", {
    setItem: (key: string, value: string) => void entries.set(key, value),
    removeItem: (key: string) => void entries.delete(key),
  });
  storeView({ filter: "all", sort: "newest", size: 10 });
  expect(entries.size).toBe(0);
  storeView({ filter: "all", sort: "name", size: 25 });
  expect(parseView(entries.get("alias-list") ?? null)).toEqual({ filter: "all", sort: "name", size: 25 });
  storeView({ filter: "all", sort: "newest", size: 10 });
  expect(entries.size).toBe(0);
});
