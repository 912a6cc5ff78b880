/** "Forward to" as tokens and the text that is being typed after them; both together are the form's text. */
import { useState } from "react";
import { entriesOf } from "../alias-text.ts";
import { isDestination, readDestinations, splitTyping, toggleDestination } from "./read-typed.ts";

export interface DestinationTokens {
  tokens: readonly string[];
  typing: string;
  setTokens(tokens: readonly string[]): void;
  type(text: string): void;
  /** A part of an address stays as typed; whole ones, and several texts, become tokens. */
  paste(text: string): void;
  toggle(destination: string): void;
}

const joined = (...entries: string[]): string => entries.filter((entry) => entry.trim() !== "").join(", ");

/** @param change sets the form's text */
export function useDestinations(text: string, change: (text: string) => void) {
  const [typed, setTyping] = useState("");
  const { tokens, typing } = splitTyping(text, typed);
  const set = (entries: readonly string[], rest = "") => {
    setTyping(rest);
    change(joined(...entries, rest));
  };
  const finish = (added: string) => set([readDestinations(joined(...tokens, added))]);
  const destinations: DestinationTokens = {
    tokens,
    typing,
    setTokens: (kept) => set(kept, typing),
    // A comma ends a destination.
    type: (value) => (/[,\r\n]/.test(value) ? finish(value) : set(tokens, value)),
    paste: (value) => {
      const read = entriesOf(readDestinations(value));
      if (read.length > 1 || read.some(isDestination)) finish(value);
      else set(tokens, value.trim());
    },
    toggle: (destination) => set([toggleDestination(joined(...tokens), destination)]),
  };
  return { destinations, endTyping: () => setTyping("") };
}
