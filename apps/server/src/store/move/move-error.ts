/** A move that was refused or found a difference; the message is complete and holds no secret. */
export class MoveError extends Error {
  override name = "MoveError";
}
