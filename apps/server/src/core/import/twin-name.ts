/**
 * Twins are aliases here for foreign addresses. Names are always the same, so that a second import creates no second
 * twin.
 */
import { createHash } from "node:crypto";
import { isAliasName, limits } from "@kauke/contract";
import { findReservedName } from "@kauke/contract/reserved-names";
import { splitAddress, toBase32 } from "@kauke/mail-rfc";

/** Names with a suffix that are tried when the plain name is taken. */
const GENERATED_MAX = 4;
const SUFFIX_LENGTH = 6;

/** In the order in which they are tried. @param account its id makes the suffixes of different accounts differ */
export function twinNames(address: string, account: string): string[] {
  const local = splitAddress(address).local.toLowerCase();
  const base = plainName(local);
  const generated = Array.from({ length: GENERATED_MAX }, (_, count) => {
    const hash = createHash("sha256").update(`${account}\0${address.toLowerCase()}\0${count}`).digest();
    const suffix = toBase32(hash).toLowerCase().slice(0, SUFFIX_LENGTH);
    return base === "" ? `alias.${suffix}` : `${base}.${suffix}`;
  });
  return [local, ...generated].filter((name) => isAliasName(name) && findReservedName(name) === null);
}

/** Hyphens stand for characters that an alias name must not have. */
function plainName(local: string): string {
  return local
    .normalize("NFKD")
    .replaceAll(/[^a-z0-9._-]+/g, "-")
    .replaceAll(/\.{2,}/g, ".")
    .replaceAll(/-{2,}/g, "-")
    .slice(0, limits.aliasNameMax - SUFFIX_LENGTH - 1)
    .replaceAll(/^[.-]+|[.-]+$/g, "");
}

/** @param was foreign address, appended to a twin's notes */
export function importedNotes(notes: string, was: string | null): { notes: string | null; isCut: boolean } {
  // The database can't store NUL, and other control characters would break the list of aliases.
  const text = notes
    .replaceAll("\r\n", "\n")
    .replaceAll(/[\u{0}-\u{8}\u{b}-\u{1f}\u{7f}]+/gu, " ")
    .trim();
  const mark = was === null ? "" : markOfTwin(was);
  const room = limits.notesMax - mark.length - (mark === "" ? 0 : 1);
  const kept = wholeCharacters(text, Math.max(0, room));
  const whole = [kept, mark].filter((part) => part !== "").join(" ");
  return { notes: whole === "" ? null : whole, isCut: kept !== text };
}

/** Text in the notes that names the twin's foreign address. */
export function markOfTwin(was: string): string {
  return wholeCharacters(`was ${was}`, limits.notesMax);
}

/** Cuts a text without splitting a surrogate pair. */
function wholeCharacters(text: string, max: number): string {
  if (text.length <= max) return text;
  return text
    .slice(0, max)
    .replace(/[\u{d800}-\u{dbff}]$/u, "")
    .trimEnd();
}
