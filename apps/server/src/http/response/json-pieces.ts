/**
 * A large answer as JSON text in pieces: what has grown with an account is neither made into one string nor written in one go, and
 * a list that is read page by page is never in memory whole. Between two pieces the event loop has its turn. The text is what
 * `JSON.stringify` makes, with a list in the place of its pages.
 */
import { setImmediate as nextTurn } from "node:timers/promises";

/** Of a list; what one element holds is small. */
const ELEMENTS_AT_ONCE = 100;

/** @param value lists in it may be given as an `AsyncIterable` of their pages */
export async function* jsonPieces(value: unknown): AsyncGenerator<string> {
  for await (const piece of piecesOf(value)) {
    yield piece;
    await nextTurn();
  }
}

/** Cut at lists and at the objects around them, never inside an element. */
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

/** A date, say, writes itself. */
const isPlain = (value: unknown): value is object =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
