/** Twins: aliases that replace foreign addresses. Names depend on the address, so importing twice adds no twin. */
import { createHash } from "node:crypto";
import { type ForwardToEntry, isAliasName, limits, parseForwardTo } from "@kauke/contract";
import { findReservedName } from "@kauke/contract/reserved-names";
import { splitAddress, toBase32 } from "@kauke/mail-rfc";
import { cutText } from "../alias/alias-rules.ts";
import type { MailDomains } from "../domain/mail-domains.ts";

const GENERATED_MAX = 4;
const SUFFIX_LENGTH = 6;

/** A twin's names in the order to try. @param account its id makes suffixes differ by account */
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

function plainName(local: string): string {
  return local
    .normalize("NFKD")
    .replaceAll(/[^a-z0-9._-]+/g, "-")
    .replaceAll(/\.{2,}/g, ".")
    .replaceAll(/-{2,}/g, "-")
    .slice(0, limits.aliasNameMax - SUFFIX_LENGTH - 1)
    .replaceAll(/^[.-]+|[.-]+$/g, "");
}

/** @param was foreign address, appended to the notes @returns `isCut`: a part of the notes was dropped */
export function importedNotes(notes: string, was: string | null): { notes: string | null; isCut: boolean } {
  // The database can't store NUL; other control characters would break the list of aliases.
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

export function markOfTwin(was: string): string {
  return wholeCharacters(`was ${was}`, limits.notesMax);
}

function wholeCharacters(text: string, max: number): string {
  return text.length <= max ? text : cutText(text, max).trimEnd();
}

export interface DestinationRules {
  mailDomains: Pick<MailDomains, "has">;
  /** Mailbox for rows without a destination; `null` without a confirmed one. */
  fallback: string | null;
}

export interface PlannedDestinations {
  destinations: ForwardToEntry[];
  /** How the destinations differ from the file's, as a sentence; else `null`. */
  remark: string | null;
}

/** At most `limits.importDestinationsMax` distinct destinations. */
export class DestinationSet {
  readonly #seen = new Set<string>();

  /** @returns false, adding nothing, if the set would exceed its maximum */
  add(destinations: readonly ForwardToEntry[]): boolean {
    const keys = destinations.map(keyOf).filter((key) => !this.#seen.has(key));
    if (this.#seen.size + keys.length > limits.importDestinationsMax) return false;
    for (const key of keys) this.#seen.add(key);
    return true;
  }
}

const keyOf = (destination: ForwardToEntry) =>
  destination.kind === "mailbox" ? destination.address.toLowerCase() : destination.url;

export function planDestinations(
  texts: readonly string[],
  { mailDomains, fallback }: DestinationRules,
): PlannedDestinations | null {
  const read = new Map<string, ForwardToEntry>();
  let isLess = false;
  for (const text of texts) {
    const [destination] = (text.includes(",") ? null : parseForwardTo(text)) ?? [];
    const isOwn = destination?.kind === "mailbox" && mailDomains.has(splitAddress(destination.address).domain);
    if (destination === undefined || isOwn || read.size >= limits.destinationsMax) isLess = true;
    else read.set(keyOf(destination), destination);
  }
  const destinations = [...read.values()];
  if (destinations.length > 0)
    return {
      destinations,
      remark: isLess ? "Some destinations of the file can't be used here and are left out." : null,
    };
  if (fallback === null) return null;
  const remark =
    texts.length === 0
      ? "The file names no destination, so it forwards to your default mailbox."
      : "The file's destinations can't be used here, so it forwards to your default mailbox.";
  return { destinations: [{ kind: "mailbox", address: fallback }], remark };
}
