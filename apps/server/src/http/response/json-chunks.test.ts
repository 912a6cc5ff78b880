import { expect, it } from "vitest";
import { jsonChunks } from "./json-chunks.ts";

async function textOf(value: unknown): Promise<{ text: string; chunks: number }> {
  const chunks: string[] = [];
  for await (const chunk of jsonChunks(value)) chunks.push(chunk);
  return { text: chunks.join(""), chunks: chunks.length };
}

it("the chunks together equal the output of JSON.stringify", async () => {
  const rows = Array.from({ length: 250 }, (_, id) => ({
    id,
    at: new Date(id),
    text: 'a "quote"\u2028',
    gone: undefined,
  }));
  const values = [
    {},
    [],
    null,
    "text",
    1,
    new Date(0),
    { a: {}, b: [], c: null, d: undefined },
    { only: undefined },
    [[], {}, [1, [2]]],
    { tables: { alias: { about: 'x"', rows } }, notes: ["a", "b"] },
  ];
  for (const value of values) expect((await textOf(value)).text).toBe(JSON.stringify(value));
});

it("a long list is split, and the event loop runs between chunks", async () => {
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 0);
  const { chunks } = await textOf(Array.from({ length: 10_000 }, (_, id) => ({ id })));
  clearInterval(timer);
  expect(chunks).toBeGreaterThan(99);
  expect(turns).toBeGreaterThan(0);
});

it("a list may be an AsyncIterable of pages, and a page is read only when its chunk is requested", async () => {
  let read = 0;
  async function* pages(): AsyncGenerator<readonly number[]> {
    for (const page of [[1, 2], [], [3]]) {
      read += 1;
      yield page;
    }
  }
  async function* none(): AsyncGenerator<readonly number[]> {}
  expect((await textOf({ rows: pages(), none: none() })).text).toBe('{"rows":[1,2,3],"none":[]}');
  read = 0;
  const chunks = jsonChunks(pages());
  await chunks.next();
  expect(read).toBe(1);
  await chunks.return(undefined);
});
