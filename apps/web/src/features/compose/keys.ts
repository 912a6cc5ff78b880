/** Whose key a letter is encrypted for. */

import { t } from "../../texts/texts.ts";
import type { Letter } from "./letter.ts";
import type { Person } from "./RecipientsRow.tsx";
import { letterAddresses } from "./recipients.ts";

export interface KeyTarget {
  /** Empty while the letter has no recipient. */
  address: string;
  publicKey: string;
  /** Whether the key is one that was remembered, and not typed for this letter. */
  isKnown: boolean;
}

/** One target per recipient; one without an address while there is none. */
export function keyTargets(letter: Letter, people: readonly Person[]): KeyTarget[] {
  const addresses = letterAddresses(letter);
  const isOnly = addresses.length <= 1;
  return (addresses.length === 0 ? [""] : addresses).map((address) => {
    const typed = letter.keys[address] ?? (isOnly ? letter.keys[""] : undefined);
    const known = people.find((person) => person.address.toLowerCase() === address.toLowerCase())?.publicKey ?? null;
    return { address, publicKey: typed ?? known ?? "", isKnown: typed === undefined && known !== null };
  });
}

const isMissing = ({ publicKey }: KeyTarget): boolean => publicKey.trim() === "";

export const missingKeys = (targets: readonly KeyTarget[]): KeyTarget[] => targets.filter(isMissing);

/** @example stateOf(letter, targets) // "Not encrypted · bob@example.org has no key" */
export function encryptionState({ isEncrypted }: Pick<Letter, "isEncrypted">, targets: readonly KeyTarget[]): string {
  const state = isEncrypted ? t("Encrypted") : t("Not encrypted");
  const named = targets.filter(({ address }) => address !== "");
  const missing = missingKeys(named);
  if (named.length === 0) return state;
  if (missing.length === 0)
    return isEncrypted ? state : `${state} · ${named.length === 1 ? "the key is" : "all keys are"} known`;
  const [first] = missing;
  const who =
    missing.length === 1
      ? t("{address} has", { address: first?.address ?? "" })
      : t("{count} recipients have", { count: missing.length });
  return isEncrypted
    ? `Not sent before ${who.replace(/ have$/, " have a key").replace(/ has$/, " has a key")}`
    : t("{state} · {who} no key", { state, who });
}
