/**
 * Canonicalizes the header fields that a signature covers, for checking it (RFC 6376 §3.4.1, §3.4.2, §3.7; RFC 8617
 * §5.1.1). Accepts every field that `rawFields` yields. dkim-canonical.ts does the same for signing, where every field
 * name is printable ASCII directly followed by its colon.
 */
import { asciiLowerCase, type RawField, utf8Of, withoutBlanks } from "../header/raw-fields.ts";
import type { DkimCanonicalization } from "./dkim-body.ts";
import { relaxedField } from "./dkim-canonical.ts";

const PLAIN_NAME = /^[!-9;-~]+:/;

/**
 * @param names field names in lower case, as in `h=`; a name that is listed n times stands for the n lowest fields of
 * that name (§5.4.2)
 * @param signature the signature's own field, which is covered with an empty `b=`
 * @returns the text that was signed, one character per byte
 */
export function signedText(
  fields: readonly RawField[],
  { names, form, signature }: { names: readonly string[]; form: DkimCanonicalization; signature: string },
): string {
  const left = new Map<string, string[]>();
  for (const { name, text } of fields) {
    const same = left.get(name);
    if (same === undefined) left.set(name, [text]);
    else same.push(text);
  }
  let covered = "";
  for (const name of names) {
    const text = left.get(name)?.pop();
    if (text !== undefined) covered += `${canonicalField(text, form)}\r\n`;
  }
  return covered + withoutSignature(canonicalField(signature, form));
}

/** @returns a field without its final CRLF in canonical form */
export function canonicalField(text: string, form: DkimCanonicalization): string {
  if (form === "simple") return text;
  if (PLAIN_NAME.test(text)) return relaxedField(text);
  const line = text.replace(/\r\n/g, "");
  const colon = line.indexOf(":");
  const name = asciiLowerCase(withoutBlanks(line.slice(0, Math.max(colon, 0))));
  const value = withoutBlanks(line.slice(colon + 1));
  return (colon < 0 ? value : `${name}:${value}`).replace(/[ \t]+/g, " ");
}

/** Empties the last `b=` tag of a signature's field (§3.7): the one that `readTags` takes the signature from. */
export function withoutSignature(field: string): string {
  const start = field.indexOf(":") + 1;
  const tags = field.slice(start).split(";");
  const at = tags.findLastIndex(isSignatureTag);
  const tag = tags[at];
  if (tag === undefined) return field;
  tags[at] = tag.slice(0, tag.indexOf("=") + 1);
  return field.slice(0, start) + tags.join(";");
}

function isSignatureTag(tag: string): boolean {
  const equals = tag.indexOf("=");
  return equals >= 0 && utf8Of(tag.slice(0, equals)).trim().toLowerCase() === "b";
}
