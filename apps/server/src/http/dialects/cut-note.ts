/** Notes of clients of other services, which write longer ones than ours and give up when theirs is refused. */
import { limits } from "@kauke/contract";

/**
 * @param text a note of any length, or null
 * @returns the note without NUL characters, cut to the longest that we store, never within a character; null if nothing
 * is left
 */
export function cutNote(text: string | null): string | null {
  const clean = (text ?? "").replaceAll("\u0000", "").trim();
  const cut = clean.slice(0, limits.notesMax).toWellFormed();
  const whole = cut.length === clean.length ? cut : cut.replace(/\ufffd$/, "");
  return whole === "" ? null : whole;
}
