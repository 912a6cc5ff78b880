/**
 * Makes one ARC set (RFC 8617 §5.1) for forwarded mail, signed like DKIM here: relaxed/simple, with the same key. The
 * caller says whether the chain was valid on arrival.
 */

import { relaxedField } from "../dkim/dkim-canonical.ts";
import { type DkimKey, type DkimSource, foldNames, signedField, signedFields } from "../dkim/dkim-sign.ts";
import { bytesAsText, type FieldText, headerField, joinFields, NO_FIELD } from "../header/header-field.ts";
import { fieldValue, type HeaderField } from "../header/headers.ts";
import { resultsWords } from "../header/trace-fields.ts";

export interface ArcSource extends DkimSource {
  /** Value of our Authentication-Results, which may contain text chosen by remote hosts. */
  results: string;
  status: "none" | "pass" | "fail";
}

const INSTANCES_MAX = 50;
const names = ["arc-authentication-results", "arc-message-signature", "arc-seal"] as const;

/** Makes the three fields for the top of the header, seal first; empty when no further set may be added. */
export async function arcSign(source: ArcSource, key: DkimKey): Promise<FieldText> {
  const chain = readChain(source);
  if (chain === null) return NO_FIELD;
  const instance = chain.length + 1;
  const seconds = Math.floor(source.signedAt.getTime() / 1000);
  const signerTags = `a=${key.algorithm}; d=${key.domain}; s=${key.selector}; t=${seconds};`;
  const results = headerField("ARC-Authentication-Results", [`i=${instance};`, ...resultsWords(source.results)]);
  const { names: signedNames, input } = signedFields(source);
  const bodyHash = `bh=${source.bodyHash.toString("base64")};`;
  const messageLines = [`i=${instance}; c=relaxed/simple;`, signerTags, bodyHash, ...foldNames(signedNames)];
  const signature = await signedField("ARC-Message-Signature", { lines: messageLines, input }, key);
  // In a broken chain the seal covers only the newest set (§5.1.2).
  const covered = [...(source.status === "fail" ? [] : chain.flat()), bytesAsText(results), bytesAsText(signature)];
  const sealed = covered.map((field) => `${relaxedField(field)}\r\n`).join("");
  const sealLines = [`i=${instance}; cv=${source.status};`, signerTags];
  const seal = await signedField("ARC-Seal", { lines: sealLines, input: sealed }, key);
  return joinFields([seal, signature, results]);
}

/** `null` when no set may be added: fifty exist, the chain failed, contradicts `status`, or is incomplete. */
function readChain({ header, fields, status }: ArcSource): string[][] | null {
  const found = fields.filter(({ name }) => (names as readonly string[]).includes(name));
  const instances = found.map((field) => instanceOf(fieldValue(header, field)));
  const highest = Math.max(0, ...instances);
  if (highest >= INSTANCES_MAX || (status === "none") !== (found.length === 0)) return null;
  const textOf = (name: string, instance: number): string[] =>
    found.flatMap((field, at) => (field.name === name && instances[at] === instance ? text(header, field) : []));
  const sets = Array.from({ length: highest }, (_, at) => names.flatMap((name) => textOf(name, at + 1)));
  if (status === "pass" && sets.flat().length !== 3 * highest) return null;
  // A chain that failed once stays failed (RFC 8617 §5.1.2).
  const isEnded = textOf("arc-seal", highest).some((seal) => /;\s*cv\s*=\s*fail\b/i.test(seal));
  return isEnded ? null : sets;
}

function instanceOf(value: string): number {
  return Number(/(?:^|;)\s*i\s*=\s*(\d{1,2})\s*(?:;|$)/i.exec(value)?.[1] ?? 0);
}

function text(header: Buffer, { start, end }: HeaderField): string {
  return header.toString("latin1", start, end);
}
