import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { emptyLetter, type Letter } from "./letter.ts";

const drafts = new Map<string, Letter>();
const reading = vi.hoisted(() => ({ before: async () => {} }));
vi.mock("../../drafts/drafts.ts", () => ({
  openDrafts: () => {},
  onDraftsChange: () => () => {},
  saveDraft: async (_kind: string, id: string, letter: Letter) => Boolean(drafts.set(id, letter)),
  deleteDraft: async (_kind: string, id: string) => void drafts.delete(id),
  readDraft: async (kind: string, id: string) => {
    await reading.before();
    const value = drafts.get(id);
    return value === undefined ? null : { kind, id, savedAt: 1, value };
  },
  listDrafts: async (kind: string) => [...drafts].map(([id, value]) => ({ kind, id, savedAt: 1, value })),
}));

beforeEach(() => {
  drafts.clear();
  vi.stubGlobal("window", new EventTarget());
  vi.stubGlobal("document", new EventTarget());
  vi.stubGlobal("sessionStorage", new Map() as unknown as Storage);
});
afterEach(() => {
  vi.unstubAllGlobals();
  // Other files' tests must not get this one's store, which hears of their users.
  vi.resetModules();
});

const letter = { ...emptyLetter, subject: "Labas" };
const settled = () => new Promise((resolve) => setTimeout(resolve, 50));
const heldLetters = async () =>
  ((await navigator.locks.query()).held ?? []).map(({ name = "" }) => name.replace("letter ", ""));

test("letters opened in quick succession keep no lock but the open one's, so all are in the list", async () => {
  const store = await import("./letter-store.ts");
  const openings = [store.openLetter(letter), store.openLetter(letter), store.openLetter()];
  await Promise.all(openings);
  await settled();
  expect(await heldLetters()).toEqual([store.readOpenLetter().id]);
});

test("a letter opened while the tab's draft is read leaves that draft in the list", async () => {
  const stored = new Map([["kauke.letter", "old"]]);
  vi.stubGlobal("sessionStorage", {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: (name: string, text: string) => void stored.set(name, text),
  });
  drafts.set("old", letter);
  const store = await import("./letter-store.ts");
  const { promise, resolve } = Promise.withResolvers<void>();
  reading.before = () => promise;
  store.beginLetters("jonas");
  await store.openLetter({ ...emptyLetter, fromAlias: "a" });
  resolve();
  await settled();
  await store.refreshDrafts();
  expect(await heldLetters()).not.toContain("old");
  expect(store.readDrafts().map(({ id }) => id)).toEqual(["old"]);
});
