/**
 * A large answer as JSON text in pieces: what has grown with an account is neither made into one string nor written in one go.
 * Between two pieces the event loop has its turn. The text is what `JSON.stringify` makes.
 */
import { setImmediate as nextTurn } from "node:timers/promises";

/** Of a list; what one element holds is small. */
const ELEMENTS_AT_ONCE = 100;

export async function* jsonPieces(value: unknown): AsyncGenerator<string> {
  for (const piece of piecesOf(value)) {
    yield piece;
    await nextTurn();
  }
}

/** Cut at lists and at the objects around them, never inside an element. */
function* piecesOf(value: unknown): Generator<string> {
  if (Array.isArray(value)) yield* piecesOfList(value);
  else if (isPlain(value)) yield* piecesOfObject(value);
  else yield JSON.stringify(value);
}

function* piecesOfList(list: readonly unknown[]): Generator<string> {
  if (list.length === 0) return yield "[]";
  for (let from = 0; from < list.length; from += ELEMENTS_AT_ONCE) {
    const some = JSON.stringify(list.slice(from, from + ELEMENTS_AT_ONCE)).slice(1, -1);
    yield `${from === 0 ? "[" : ","}${some}`;
  }
  yield "]";
}

function* piecesOfObject(object: object): Generator<string> {
  let separator = "{";
  for (const [name, value] of Object.entries(object)) {
    if (value === undefined) continue;
    yield `${separator}${JSON.stringify(name)}:`;
    yield* piecesOf(value);
    separator = ",";
  }
  yield separator === "{" ? "{}" : "}";
}

/** A date, say, writes itself. */
const isPlain = (value: unknown): value is object =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
