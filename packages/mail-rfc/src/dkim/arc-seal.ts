/**
 * One ARC set (RFC 8617 §5.1) for mail that is passed on: what we found on arrival, a signature over the message as it leaves, and
 * a seal over the whole chain. Signs as DKIM does here: relaxed/simple, with the same key. Whether the chain held on arrival is
 * the caller's to know; sets that came in are taken as they lie.
 */

import { resultsWords } from "../header/authentication-results.ts";
import { type FieldText, headerField, joinFields, NO_FIELD } from "../header/header-field.ts";
import { fieldValue, type HeaderField } from "../header/headers.ts";
import { relaxedField } from "./dkim-canonical.ts";
import { bytesAsText, type DkimKey, type DkimSource, foldNames, signedField, signedFields } from "./dkim-sign.ts";

export interface ArcSource extends DkimSource {
  /** Value of our Authentication-Results, beginning with our name. Strangers' text may stand in it. */
  results: string;
  /** Of the chain as it arrived. */
  status: "none" | "pass" | "fail";
}

const INSTANCES_MAX = 50;
/** In the order a seal covers them (§5.1.1). */
const names = ["arc-authentication-results", "arc-message-signature", "arc-seal"] as const;

/** @returns three fields to be put on top, seal first; empty when no set may follow those there are */
export async function arcSeal(source: ArcSource, key: DkimKey): Promise<FieldText> {
  const chain = readChain(source);
  if (chain === null) return NO_FIELD;
  const instance = chain.length + 1;
  const seconds = Math.floor(source.signedAt.getTime() / 1000);
  const who = `a=${key.algorithm}; d=${key.domain}; s=${key.selector}; t=${seconds};`;
  const results = headerField("ARC-Authentication-Results", [`i=${instance};`, ...resultsWords(source.results)]);
  const { names: signedNames, input } = signedFields(source);
  const bodyHash = `bh=${source.bodyHash.toString("base64")};`;
  const messageLines = [`i=${instance}; c=relaxed/simple;`, who, bodyHash, ...foldNames(signedNames)];
  const signature = await signedField("ARC-Message-Signature", { lines: messageLines, input }, key);
  // A chain that is broken is sealed no further back than here (§5.1.2).
  const covered = [...(source.status === "fail" ? [] : chain.flat()), bytesAsText(results), bytesAsText(signature)];
  const sealed = covered.map((field) => `${relaxedField(field)}\r\n`).join("");
  const sealLines = [`i=${instance}; cv=${source.status};`, who];
  const seal = await signedField("ARC-Seal", { lines: sealLines, input: sealed }, key);
  return joinFields([seal, signature, results]);
}

/** Whole fields as their bytes, one list for each instance. @returns `null` when the chain is at its end, or is none one could add to */
function readChain({ header, fields, status }: ArcSource): string[][] | null {
  const found = fields.filter(({ name }) => (names as readonly string[]).includes(name));
  const instances = found.map((field) => instanceOf(fieldValue(header, field)));
  const highest = Math.max(0, ...instances);
  if (highest >= INSTANCES_MAX || (status === "none") !== (found.length === 0)) return null;
  const textOf = (name: string, instance: number): string[] =>
    found.flatMap((field, at) => (field.name === name && instances[at] === instance ? text(header, field) : []));
  const sets = Array.from({ length: highest }, (_, at) => names.flatMap((name) => textOf(name, at + 1)));
  if (status === "pass" && sets.flat().length !== 3 * highest) return null;
  // Once failed, failed for good: nobody adds to such a chain (§5.1.2).
  const isEnded = textOf("arc-seal", highest).some((seal) => /;\s*cv\s*=\s*fail\b/i.test(seal));
  return isEnded ? null : sets;
}

/** 0 for what names no instance. */
function instanceOf(value: string): number {
  return Number(/(?:^|;)\s*i\s*=\s*(\d{1,2})\s*(?:;|$)/i.exec(value)?.[1] ?? 0);
}

function text(header: Buffer, { start, end }: HeaderField): string {
  return header.toString("latin1", start, end);
}
