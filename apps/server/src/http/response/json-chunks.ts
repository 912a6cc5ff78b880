/** A large response as JSON in chunks; equal to `JSON.stringify`, with one list in place of its pages. */

import { mapInSlices, nextLoopTurn } from "../../runtime/fair-queue/slices.ts";

const ELEMENTS_AT_ONCE = 100;

/** @param value a list in it may be given as an `AsyncIterable` of the list's pages */
export async function* jsonChunks(value: unknown): AsyncGenerator<string> {
  for await (const chunk of chunksOf(value)) {
    yield chunk;
    await nextLoopTurn();
  }
}

export async function withLongListAsText(body: unknown): Promise<unknown> {
  if (!isPlain(body) || !Object.values(body).some(isLongList)) return body;
  const fields: string[] = [];
  for (const [name, value] of Object.entries(body)) {
    if (value === undefined) continue;
    const text = isLongList(value)
      ? `[${(await mapInSlices(value, (element) => JSON.stringify(element))).join(",")}]`
      : JSON.stringify(value);
    fields.push(`${JSON.stringify(name)}:${text}`);
  }
  return `{${fields.join(",")}}`;
}

const isLongList = (value: unknown): value is unknown[] => Array.isArray(value) && value.length > ELEMENTS_AT_ONCE;

/** Splits at lists and at the objects around lists, never inside a list element. */
async function* chunksOf(value: unknown): AsyncGenerator<string> {
  if (Array.isArray(value)) yield* chunksOfPages([value]);
  else if (isPages(value)) yield* chunksOfPages(value);
  else if (isPlain(value)) yield* chunksOfObject(value);
  else yield JSON.stringify(value);
}

type ListPages = AsyncIterable<readonly unknown[]> | Iterable<readonly unknown[]>;

async function* chunksOfPages(pages: ListPages): AsyncGenerator<string> {
  let separator = "[";
  for await (const page of pages) {
    for (let from = 0; from < page.length; from += ELEMENTS_AT_ONCE) {
      yield `${separator}${JSON.stringify(page.slice(from, from + ELEMENTS_AT_ONCE)).slice(1, -1)}`;
      separator = ",";
    }
  }
  yield separator === "[" ? "[]" : "]";
}

async function* chunksOfObject(object: object): AsyncGenerator<string> {
  let separator = "{";
  for (const [name, value] of Object.entries(object)) {
    if (value === undefined) continue;
    yield `${separator}${JSON.stringify(name)}:`;
    yield* chunksOf(value);
    separator = ",";
  }
  yield separator === "{" ? "{}" : "}";
}

const isPages = (value: unknown): value is AsyncIterable<readonly unknown[]> =>
  typeof value === "object" && value !== null && Symbol.asyncIterator in value;

const isPlain = (value: unknown): value is object =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
