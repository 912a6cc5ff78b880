/** Reads what is typed into the command palette: a verb and the alias it is about, or anything else. Pure. */
import type { Wanted } from "./rank-aliases.ts";

export type Verb = "open" | "copy" | "pause" | "activate";

const verbs: readonly Verb[] = ["copy", "pause", "activate"];

/** Aliases that a verb can be used on. */
export const wantedBy: Record<Verb, Wanted> = { open: "any", copy: "any", pause: "active", activate: "paused" };

interface Query {
  verb: Verb;
  /** The rest, which is searched. */
  typed: string;
}

/**
 * A verb counts once a blank follows it, so that an alias named `copy` can be found.
 * @example readQuery("pause sho") // { verb: "pause", typed: "sho" }
 */
export function readQuery(text: string): Query {
  const [, word = "", rest = ""] = /^\s*(\S+)\s+(.*)$/s.exec(text) ?? [];
  const verb = verbs.find((known) => known === word.toLowerCase());
  return verb === undefined ? { verb: "open", typed: text.trim() } : { verb, typed: rest.trim() };
}
