/** The odd messages of test-vectors/eml-odd, and what a strict reader sees in a message. */
import { readFileSync } from "node:fs";
import { fieldValue, readHeader } from "@kauke/mail-rfc";

const folder = new URL("../../../../test-vectors/eml-odd/", import.meta.url);

/**
 * Reads a message as it stands.
 * @param edits texts to replace everywhere, e.g. `REPLY` or what is odd in the message, in a control
 */
export function oddMessage(name: string, edits: Readonly<Record<string, string>> = {}): Buffer {
  let text = readFileSync(new URL(`${name}.eml`, folder), "latin1");
  for (const [found, replacement] of Object.entries(edits)) {
    if (!text.includes(found)) throw new Error(`${name}.eml does not contain ${found}`);
    text = text.replaceAll(found, replacement);
  }
  return Buffer.from(text, "latin1");
}

/** Values of the fields with a name, unfolded, in order. */
export function valuesOf(message: Buffer, name: string): string[] {
  const named = readHeader(message).fields.filter((field) => field.name === name.toLowerCase());
  return named.map((field) => fieldValue(message, field));
}

/** Reply addresses in a text, in order. */
export const replyAddressesIn = (text: string): string[] => text.match(/r(?:-[a-z2-7]{5}){4}@kauke\.test/g) ?? [];

/** A bounce address whose hash differs in its first character. */
export const withWrongHash = (bounceAddress: string): string =>
  bounceAddress.replace(/(?<=^srs0[=-])./i, (first) => (first === "a" ? "b" : "a"));
