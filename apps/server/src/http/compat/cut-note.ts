/**
 * Shortens notes sent by clients made for other services, which allow longer notes than Kauke and do not recover when a
 * note is refused.
 */
import { limits } from "@kauke/contract";

/**
 * Shortens a note to the maximum length that Kauke stores, without splitting a character, and removes NUL characters.
 * @returns `null` if nothing is left
 */
export function cutNote(text: string | null): string | null {
  const clean = (text ?? "").replaceAll("\u0000", "").trim();
  const cut = clean.slice(0, limits.notesMax).toWellFormed();
  const whole = cut.length === clean.length ? cut : cut.replace(/\ufffd$/, "");
  return whole === "" ? null : whole;
}
