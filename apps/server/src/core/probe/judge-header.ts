/** Reads from the header of a message of ours, as it lies in a mailbox elsewhere, how its mail host judged it. */
import type { MailProbeWire } from "@kauke/contract";
import { readAuthenticationResults, type StatedResult } from "@kauke/mail-rfc";
import { bounds } from "../../limits/table.ts";
import type { AuthResult } from "../message/message.ts";

export type ProbeResults = NonNullable<MailProbeWire["ours"]>;

export interface HeaderJudgement {
  /** `null` when no host's results are in the header, or they are about the mail of another domain. */
  ours: ProbeResults | null;
  /** `null` when no field says so. */
  inSpam: boolean | null;
}

/** Names as in a header that is copied; a line of prose rarely begins with one. */
const FIELD_START = /^([A-Za-z][A-Za-z0-9-]{0,77}):/;
const QUOTE_MARKS = /^(?:[ \t]?>)+[ \t]?/;
const VALUE_MAX = 8192;
/** Fields of one host, e.g. of a milter for each method. */
const RESULT_FIELDS_MAX = 10;
const RESULTS_MAX = 100;

/**
 * @param text a header, or a text in which one is quoted or pasted; folds may have lost their indentation
 * @param domain of our From, in A-labels
 */
export function judgeHeader(text: string, domain: string): HeaderJudgement {
  const blocks = blocksOf(text.slice(0, bounds.mailProbes.headerCharacters));
  const fields = blocks.find((block) => block.some(isResults)) ?? blocks[0] ?? [];
  const from = fields.find(({ name }) => name === "from");
  if (from !== undefined && !from.value.toLowerCase().includes(`@${domain}`)) return { ours: null, inSpam: null };
  return { ours: resultsIn(fields, domain), inSpam: fields.some(saysSpam) ? true : null };
}

interface Field {
  name: string;
  value: string;
}

const isResults = ({ name }: Field) => name === "authentication-results" || name === "received-spf";

/** Fields of each block between blank lines. */
function blocksOf(text: string): Field[][] {
  const blocks: Field[][] = [];
  let block: Field[] = [];
  let lines: string[] = [];
  const endField = () => {
    const last = block.at(-1);
    if (last !== undefined) last.value = [last.value, ...lines].join(" ").slice(0, VALUE_MAX);
    lines = [];
  };
  for (const raw of [...text.split(/\r\n|\r|\n/), ""]) {
    const line = raw.replace(QUOTE_MARKS, "");
    const [start, name = ""] = FIELD_START.exec(line) ?? [];
    if (start !== undefined) {
      endField();
      block.push({ name: name.toLowerCase(), value: line.slice(start.length) });
    } else if (line.trim() !== "") lines.push(line.trim());
    else if (block.length > 0) {
      endField();
      blocks.push(block);
      block = [];
    } else lines = [];
  }
  return blocks;
}

/** The topmost results are those of the host that has the mailbox; a host may write several fields (RFC 8601 §5). */
function resultsIn(fields: readonly Field[], domain: string): ProbeResults | null {
  const all = fields.filter(({ name }) => name === "authentication-results").slice(0, RESULT_FIELDS_MAX);
  const read = all.map(({ value }) => readAuthenticationResults(value));
  const stated = read.flatMap(({ host, results }) => (host === read[0]?.host ? results : [])).slice(0, RESULTS_MAX);
  const first = (method: string) => stated.find((one) => one.method === method)?.result;
  const receivedSpf = fields
    .find(({ name }) => name === "received-spf")
    ?.value.trim()
    .toLowerCase();
  const results = {
    spf: probeResult(first("spf") ?? receivedSpf?.split(/[^a-z]/, 1)[0] ?? ""),
    dkim: dkimOf(stated, domain),
    dmarc: probeResult(first("dmarc") ?? ""),
  };
  return Object.values(results).every((result) => result === "unknown") ? null : results;
}

/** One signature that passes is enough: hosts differ about Ed25519. A relay's own signature says nothing of ours. */
function dkimOf(stated: readonly StatedResult[], domain: string): ProbeResults["dkim"] {
  const all = stated.filter(({ method }) => method === "dkim");
  const ours = all.filter(({ properties }) => isOf(properties, domain));
  if (ours.some(({ result }) => result === "pass")) return "pass";
  const [one] = ours;
  if (one !== undefined) return probeResult(one.result);
  return all.length > 0 ? "none" : "unknown";
}

/** A result without a domain, such as `dkim=none`, counts as one about us. */
function isOf(properties: ReadonlyMap<string, string>, domain: string): boolean {
  const signer = properties.get("header.d") ?? properties.get("header.i");
  if (signer === undefined || signer === "none") return true;
  return signer.slice(signer.lastIndexOf("@") + 1) === domain;
}

/** SpamAssassin and its relatives; spam confidence level and verdict of Exchange. */
function saysSpam({ name, value }: Field): boolean {
  const text = value.trim().toLowerCase();
  if (name === "x-spam-flag" || name === "x-spam-status") return text.startsWith("yes");
  if (name === "x-ms-exchange-organization-scl") return Number.parseInt(text, 10) >= SCL_SPAM;
  if (name !== "x-forefront-antispam-report") return false;
  const parts = text.split(";").map((part) => part.trim());
  return parts.some((part) => part === "sfv:spm" || (part.startsWith("scl:") && Number(part.slice(4)) >= SCL_SPAM));
}

const SCL_SPAM = 5;

const words: Record<AuthResult, ProbeResults["spf"]> = {
  pass: "pass",
  fail: "fail",
  softfail: "fail",
  permerror: "fail",
  policy: "fail",
  neutral: "none",
  none: "none",
  temperror: "unknown",
};

/** @param stated a result of RFC 8601, perhaps in a host's own word */
export function probeResult(stated: string): ProbeResults["spf"] {
  return Object.hasOwn(words, stated) ? words[stated as AuthResult] : "unknown";
}
