import { useState } from "react";
import { t } from "../../../texts/texts.ts";
import { isDestination } from "./read-typed.ts";

/** @returns what to announce after tokens came or went; empty if nothing did */
export function tokensText(before: readonly string[], after: readonly string[]): string {
  const added = after.filter((token) => !before.includes(token));
  const removed = before.filter((token) => !after.includes(token));
  const wrong = added.filter((token) => !isDestination(token));
  const addresses = added.join(", ");
  if (wrong.length > 0) return t("{addresses} added, not valid: {wrong}", { addresses, wrong: wrong.join(", ") });
  if (added.length > 0) return t("{addresses} added", { addresses });
  return removed.length === 0 ? "" : t("{address} removed", { address: removed.join(", ") });
}

/** Announces changes of the tokens once the field was used; what the form begins with is no change. */
export function useSaidTokens(tokens: readonly string[]) {
  const [isUsed, setUsed] = useState(false);
  const [last, setLast] = useState({ tokens, said: "" });
  if (last.tokens.join() !== tokens.join()) setLast({ tokens, said: isUsed ? tokensText(last.tokens, tokens) : "" });
  return { said: last.said, onFocus: () => setUsed(true) };
}
