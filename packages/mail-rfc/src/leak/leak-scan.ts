/**
 * Looks for mailboxes in text that is at hand decoded: what a person typed, a subject. Messages with their parts and attachments
 * are read by `leak/search-message.ts`.
 */
import { findInText } from "./find-in-text.ts";
import { mailboxPatterns } from "./mailbox-pattern.ts";

/** Decoded text of each kind. */
export interface ScannedParts {
  text?: string;
  html?: string;
  /** Identifiers and file names may put more around an address without meaning another one. */
  headers?: string;
  calendar?: string;
}

/**
 * @param destinations addresses in any case; a tag makes no difference
 * @returns the first destination found, as it was given; `null` when there is none
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
