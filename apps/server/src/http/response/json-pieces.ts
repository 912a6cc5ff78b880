/**
 * Serialises a large response as JSON in chunks. Data that grows with an account is neither one string nor one write,
 * and a list that is read page by page is never in memory as a whole. The event loop runs between chunks. The output
 * equals that of `JSON.stringify`, with a list in place of its pages.
 */
import { setImmediate as nextTurn } from "node:timers/promises";

/** List elements per chunk; a single element is small. */
const ELEMENTS_AT_ONCE = 100;

/** @param value lists in it may be an `AsyncIterable` of their pages */
export async function* jsonPieces(value: unknown): AsyncGenerator<string> {
  for await (const piece of piecesOf(value)) {
    yield piece;
    await nextTurn();
  }
}

/** Splits at lists and the objects around them, never inside a list element. */
async function* piecesOf(value: unknown): AsyncGenerator<string> {
  if (Array.isArray(value)) yield* piecesOfPages([value]);
  else if (isPages(value)) yield* piecesOfPages(value);
  else if (isPlain(value)) yield* piecesOfObject(value);
  else yield JSON.stringify(value);
}

type ListPages = AsyncIterable<readonly unknown[]> | Iterable<readonly unknown[]>;

async function* piecesOfPages(pages: ListPages): AsyncGenerator<string> {
  let separator = "[";
  for await (const page of pages) {
    for (let from = 0; from < page.length; from += ELEMENTS_AT_ONCE) {
      yield `${separator}${JSON.stringify(page.slice(from, from + ELEMENTS_AT_ONCE)).slice(1, -1)}`;
      separator = ",";
    }
  }
  yield separator === "[" ? "[]" : "]";
}

async function* piecesOfObject(object: object): AsyncGenerator<string> {
  let separator = "{";
  for (const [name, value] of Object.entries(object)) {
    if (value === undefined) continue;
    yield `${separator}${JSON.stringify(name)}:`;
    yield* piecesOf(value);
    separator = ",";
  }
  yield separator === "{" ? "{}" : "}";
}

const isPages = (value: unknown): value is AsyncIterable<readonly unknown[]> =>
  typeof value === "object" && value !== null && Symbol.asyncIterator in value;

/** False for objects that serialise themselves, such as a Date. */
const isPlain = (value: unknown): value is object =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
