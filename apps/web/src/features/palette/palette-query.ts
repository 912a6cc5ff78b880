/** Parses the text typed into the command palette: a verb and the alias that it acts on, or a search. Pure. */
import type { Wanted } from "./rank-aliases.ts";

export type Verb = "open" | "copy" | "pause" | "activate";

const verbs: readonly Verb[] = ["copy", "pause", "activate"];

/** State that an alias must have so that a verb can act on it. */
export const wantedBy: Record<Verb, Wanted> = { open: "any", copy: "any", pause: "active", activate: "paused" };

interface Query {
  verb: Verb;
  /** Text after the verb, by which aliases are searched. */
  typed: string;
}

/**
 * Parses the text of the palette. A word is a verb only if a blank follows it, so that an alias named `copy` can be
 * found.
 * @example readQuery("pause sho") // { verb: "pause", typed: "sho" }
 */
export function readQuery(text: string): Query {
  const [, word = "", rest = ""] = /^\s*(\S+)\s+(.*)$/s.exec(text) ?? [];
  const verb = verbs.find((known) => known === word.toLowerCase());
  return verb === undefined ? { verb: "open", typed: text.trim() } : { verb, typed: rest.trim() };
}
