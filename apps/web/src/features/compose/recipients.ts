/** The addresses of To, Cc and Bcc: what is typed or pasted becomes one entry per address. */
import { isMailbox, type RecipientKind, recipientKinds, sameRecipient } from "@kauke/contract";
import { t } from "../../texts/texts.ts";

export interface LetterRecipient {
  address: string;
  /** Of `Name <address>`; shown only in this browser. */
  name: string;
}

/** `text`: what is in the field and no entry yet. */
export interface RecipientField {
  entries: readonly LetterRecipient[];
  text: string;
}

export const noRecipients: RecipientField = { entries: [], text: "" };

const withName = /^\s*"?([^"<>]*?)"?\s*<([^<>]*)>\s*$/;

export const isValid = ({ address }: LetterRecipient): boolean => isMailbox(address);

/** @example parseRecipients('Ann <ann@example.org>; bob@example.org') // two recipients; commas in quotes don't split */
export function parseRecipients(text: string): LetterRecipient[] {
  const parts = text.match(/(?:"[^"]*"|<[^>]*>|[^,;\n])+/g) ?? [];
  return parts.flatMap((part) => {
    const [, name = "", inside] = withName.exec(part) ?? [];
    const address = (inside ?? part).trim();
    return address === "" ? [] : [{ address, name: name.trim() }];
  });
}

const keyOf = ({ address }: LetterRecipient): string => sameRecipient(address);

/** Adds entries, each address once. */
export function withEntries(field: RecipientField, added: readonly LetterRecipient[]): RecipientField {
  const known = new Map(field.entries.map((entry) => [keyOf(entry), entry]));
  for (const entry of added) if (!known.has(keyOf(entry))) known.set(keyOf(entry), entry);
  return { entries: [...known.values()], text: "" };
}

/** Makes entries of the text. A single invalid address stays text, so that it can be mended where it was typed. */
export function settled(field: RecipientField): RecipientField {
  const found = parseRecipients(field.text);
  const [first] = found;
  if (first === undefined) return field.text === "" ? field : { ...field, text: "" };
  if (found.length === 1 && !isValid(first)) return field;
  return withEntries(field, found);
}

/** Every address once, in the order of To, Cc and Bcc. */
export function letterAddresses(fields: Readonly<Record<RecipientKind, RecipientField>>): string[] {
  const all = recipientKinds.flatMap((kind) => fields[kind].entries);
  return [...new Map(all.map((entry) => [keyOf(entry), entry.address])).values()];
}

/** @example namesOf(["a@x.org", "b@x.org", "c@x.org"]) // "a@x.org and 2 more" */
export function namesOf(addresses: readonly string[]): string {
  const [first = "", second = ""] = addresses;
  if (addresses.length <= 1) return first;
  return addresses.length === 2
    ? t("{first} and {second}", { first, second })
    : t("{first} and {count} more", { first, count: addresses.length - 1 });
}
