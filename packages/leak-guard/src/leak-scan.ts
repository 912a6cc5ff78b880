/**
 * Searches decoded text, such as typed text or a subject, for mailboxes. Messages with parts and attachments are
 * searched by `leak/search-message.ts`.
 */
import { findInText } from "./find-in-text.ts";
import { mailboxPatterns } from "./mailbox-pattern.ts";

/** Decoded text, by the kind of text it is. */
export interface ScannedParts {
  text?: string;
  html?: string;
  /**
   * Header text. Here an address counts inside a longer token too, since identifiers and file names embed addresses.
   */
  headers?: string;
  calendar?: string;
}

/**
 * @param destinations addresses in any letter case; a `+tag` is ignored
 * @returns the first destination found, in the spelling it was given; `null` when none occurs
 */
export function findLeak(parts: ScannedParts, destinations: readonly string[]): string | null {
  const patterns = mailboxPatterns(destinations);
  if (patterns.length === 0) return null;
  const { headers = "", text = "", html = "", calendar = "" } = parts;
  const found =
    findInText(text, patterns, "whole") ??
    findInText(html, patterns, "whole") ??
    findInText(headers, patterns, "within") ??
    findInText(calendar, patterns, "within");
  return found?.destination ?? null;
}
