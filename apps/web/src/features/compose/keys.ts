/** Whose key a letter is encrypted for. */

import { plural } from "../../texts/plural.ts";
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
  return (addresses.length === 0 ? [""] : addresses).map((address) => {
    const typed = letter.keys[address];
    const known = people.find((person) => person.address.toLowerCase() === address.toLowerCase())?.publicKey ?? null;
    return { address, publicKey: typed ?? known ?? "", isKnown: typed === undefined && known !== null };
  });
}

/** A key that was typed before there was a recipient is the first one's, who is added alone, and of nobody added later. */
export function withEarlyKey(before: Letter, letter: Letter): Letter {
  const { "": early, ...keys } = letter.keys;
  const [only, ...others] = letterAddresses(letter);
  const isFirst = only !== undefined && others.length === 0 && letterAddresses(before).length === 0;
  return early === undefined || !isFirst ? letter : { ...letter, keys: { [only]: early, ...keys } };
}

const isMissing = ({ publicKey }: KeyTarget): boolean => publicKey.trim() === "";

export const missingKeys = (targets: readonly KeyTarget[]): KeyTarget[] => targets.filter(isMissing);

/** @example stateOf(letter, targets) // "Not encrypted · bob@example.org has no key" */
export function encryptionState({ isEncrypted }: Pick<Letter, "isEncrypted">, targets: readonly KeyTarget[]): string {
  const named = targets.filter(({ address }) => address !== "");
  const missing = missingKeys(named);
  const [first] = missing;
  const count = missing.length;
  if (isEncrypted) {
    if (first === undefined) return t("Encrypted");
    return count === 1
      ? t("Not sent before {address} has a key", { address: first.address })
      : plural(count, "Not sent before {count} recipient has a key", "Not sent before {count} recipients have a key", {
          count,
        });
  }
  if (named.length === 0) return t("Not encrypted");
  if (first === undefined)
    return named.length === 1 ? t("Not encrypted · the key is known") : t("Not encrypted · all keys are known");
  return count === 1
    ? t("Not encrypted · {address} has no key", { address: first.address })
    : plural(count, "Not encrypted · {count} recipient has no key", "Not encrypted · {count} recipients have no key", {
        count,
      });
}
