/**
 * Names of twins: aliases on our domain for addresses whose domain is not ours. Pure. The same address leads to the same
 * names, so that a file imported twice makes nothing twice.
 */
import { createHash } from "node:crypto";
import { isAliasName, limits } from "@kauke/contract";
import { findReservedName } from "@kauke/contract/reserved-names";
import { splitAddress, toBase32 } from "@kauke/mail-rfc";

/** Generated names tried when the plain name is taken. */
const GENERATED_MAX = 4;
const SUFFIX_LENGTH = 6;

/**
 * Names to try in this order: the address' own name if it may be one here, then that name with a suffix.
 * @param account makes the suffixes of different accounts differ
 */
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

/** The part of a name that may be used here: other characters become hyphens. */
function plainName(local: string): string {
  return local
    .normalize("NFKD")
    .replaceAll(/[^a-z0-9._-]+/g, "-")
    .replaceAll(/\.{2,}/g, ".")
    .replaceAll(/-{2,}/g, "-")
    .slice(0, limits.aliasNameMax - SUFFIX_LENGTH - 1)
    .replaceAll(/^[.-]+|[.-]+$/g, "");
}

/**
 * Notes of an imported alias, cut at the limit.
 * @param was address that a twin stands for, which the notes name at their end; `null` for an alias that keeps its
 * address
 */
export function importedNotes(notes: string, was: string | null): string | null {
  // NUL can't be stored, and other control characters would break the list; line ends and tabs stay.
  const text = notes
    .replaceAll("\r\n", "\n")
    .replaceAll(/[\u{0}-\u{8}\u{b}-\u{1f}\u{7f}]+/gu, " ")
    .trim();
  const mark = was === null ? "" : markOfTwin(was);
  const room = limits.notesMax - mark.length - (mark === "" ? 0 : 1);
  const whole = [wholeCharacters(text, Math.max(0, room)), mark].filter((part) => part !== "").join(" ");
  return whole === "" ? null : whole;
}

/** How the notes of a twin name the address that it stands for. */
export function markOfTwin(was: string): string {
  return wholeCharacters(`was ${was}`, limits.notesMax);
}

/** Cuts without leaving half of a surrogate pair. */
function wholeCharacters(text: string, max: number): string {
  if (text.length <= max) return text;
  return text
    .slice(0, max)
    .replace(/[\u{d800}-\u{dbff}]$/u, "")
    .trimEnd();
}
