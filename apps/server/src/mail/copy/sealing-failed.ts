/** Mail that is to leave sealed could not be: it waits, and never leaves as it is. */
export class SealingFailed extends Error {
  override name = "SealingFailed";
}
