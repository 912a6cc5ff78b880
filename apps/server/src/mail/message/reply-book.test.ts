import { expect, test } from "vitest";
import { bounds, rowsPerDay } from "../../limits/table.ts";
import { ReplyBook } from "./reply-book.ts";

const clock = { now: () => new Date(0) };
const rules = { alias: { max: 2000, windowSeconds: 3600 }, account: { max: 3000, windowSeconds: 3600 } };
const people = (count: number, name: string) =>
  Array.from({ length: count }, (_, n) => ({ address: `${name}${n}@example.net`, name: null, token: `${name}${n}` }));

const copyOf = (userId: string, name: string) => ({
  aliasId: `${userId}'s ${name}`,
  userId,
  correspondents: people(750, name),
});

/** A store that records the rows of every statement, and how many statements ran concurrently. */
function fakeStore() {
  const rows = new Set<string>();
  const seen = { sizes: [] as number[], running: 0, mostRunning: 0 };
  const ensure = async (paths: readonly { id: Buffer }[]) => {
    seen.sizes.push(paths.length);
    seen.mostRunning = Math.max(seen.mostRunning, ++seen.running);
    await new Promise((resolve) => setImmediate(resolve));
    for (const { id } of paths) rows.add(id.toString("hex"));
    seen.running--;
  };
  const listKnown = async (ids: readonly Buffer[]) => {
    seen.sizes.push(ids.length);
    return new Set(ids.map((id) => id.toString("hex")).filter((id) => rows.has(id)));
  };
  return { ensure, listKnown, rows, seen };
}

test("many new correspondents are stored in short statements with pauses, one message of an account at a time", async () => {
  const store = fakeStore();
  const book = new ReplyBook(store, clock, rules);
  let turns = 0;
  const counter = setInterval(() => turns++);
  const kept = ["x", "y"].map((name) =>
    book.keep([{ aliasId: `alias ${name}`, userId: "u", correspondents: people(700, name) }]),
  );
  await Promise.all(kept);
  clearInterval(counter);
  expect(store.rows.size).toBe(1400);
  expect(Math.max(...store.seen.sizes)).toBe(200);
  expect(store.seen.mostRunning).toBe(1);
  expect(turns).toBeGreaterThan(0);
});

test("new correspondents are limited per account over all its aliases; known ones are always accepted, and other accounts are not affected", async () => {
  const store = fakeStore();
  const keep = (book: ReplyBook, userId: string, name: string) =>
    book.keep([copyOf(userId, name)]).then((over) => (over.size === 0 ? "kept" : "over"));
  const book = new ReplyBook(store, clock, rules);
  expect([await keep(book, "u", "a"), await keep(book, "u", "b"), await keep(book, "u", "c")]).toEqual([
    "kept",
    "kept",
    "over",
  ]);
  expect(await keep(book, "u", "a")).toBe("kept");
  expect(await keep(book, "v", "d")).toBe("kept");
  // A message to several aliases is delivered to those that have room.
  const copies = [copyOf("u", "e"), copyOf("w", "f"), copyOf("u", "a")];
  expect(await book.keep(copies)).toEqual(new Set(["u's e"]));
  expect(await book.keep([copyOf("w", "f")])).toEqual(new Set());
  expect(Math.max(...store.seen.sizes)).toBe(200);
});

test("messages to crowds leave half of each limit to others", async () => {
  const book = new ReplyBook(fakeStore(), clock, rules);
  const keep = async (count: number, name: string) =>
    (await book.keep([{ aliasId: "a", userId: "u", correspondents: people(count, name) }])).size === 0;
  const crowds = [await keep(500, "a"), await keep(500, "b"), await keep(101, "c")];
  expect(crowds).toEqual([true, true, false]);
  expect([await keep(100, "d"), await keep(1, "e")]).toEqual([true, true]);
});

test.each([1, 4, 64])("a crowd's message arrives at one of %d processes; further ones wait", async (processes) => {
  const book = new ReplyBook(fakeStore(), clock, rowsPerDay(bounds.newCorrespondents, processes));
  const keep = async (name: string) =>
    (await book.keep([{ aliasId: "a", userId: "u", correspondents: people(1000, name) }])).size === 0;
  expect(await keep("a")).toBe(true);
  const more = [];
  for (let sent = 0; sent < 4; sent++) more.push(await keep(`b${sent} `));
  expect(more).toContain(false);
});

test("a crowd's message to many aliases stores for some of them, and the copies of the others wait", async () => {
  const store = fakeStore();
  const copies = Array.from({ length: 30 }, (_, n) => copyOf(`user ${n}`, `crowd ${n} `));
  const over = await new ReplyBook(store, clock, rules).keep(copies);
  expect([over.size, store.rows.size]).toEqual([4, 26 * 750]);
});

test("a failure of the store does not block later messages", async () => {
  const store = fakeStore();
  const broken: ConstructorParameters<typeof ReplyBook>[0] = {
    ...store,
    ensure: () => Promise.reject(new Error("no disk")),
  };
  const book = new ReplyBook(broken, clock, rules);
  const keep = (name: string) =>
    book.keep([{ aliasId: name, userId: "u", correspondents: people(300, name) }]).catch((it: Error) => it.message);
  expect(await Promise.all([keep("a"), keep("b")])).toEqual(["no disk", "no disk"]);
  broken.ensure = store.ensure;
  expect(await keep("c")).toEqual(new Set());
});
