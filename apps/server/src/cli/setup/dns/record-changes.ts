/** Decides what to do about each record that the server needs, given the existing ones; leaves other records alone. */
import { isIPv6, SocketAddress } from "node:net";
import type { DnsRecord } from "@kauke/mail-rfc";
import {
  type ApplyResult,
  type Change,
  type DnsProblem,
  type DnsProvider,
  ofOneChange,
  type RecordSet,
  type RecordType,
} from "./provider.ts";
import { textKind } from "./text-kinds.ts";

/**
 * - `other_address`, `other_mx`, `other_text`: a record with the same purpose but a foreign value
 * - `other_alias`: a CNAME with another target; only the operator may delete it
 * - `name_in_use`: a CNAME can't stand beside other records, nor other records beside a CNAME (RFC 1034 §3.6.2)
 * - `host_elsewhere`: an MX whose host has foreign addresses
 * - `mail_elsewhere`: the record alone would break mail that other hosts handle for the domain
 */
export type ConflictReason =
  | "other_address"
  | "other_mx"
  | "other_text"
  | "other_alias"
  | "name_in_use"
  | "host_elsewhere"
  | "mail_elsewhere";

export type Decision =
  | { kind: "keep"; record: DnsRecord }
  | { kind: "add"; record: DnsRecord }
  | { kind: "replace"; record: DnsRecord; old: readonly DnsRecord[]; isOfOthers: boolean }
  | {
      kind: "conflict";
      record: DnsRecord;
      reason: ConflictReason;
      found: readonly DnsRecord[];
      /** SPF record that permits the existing senders and ours. */
      merged?: string;
    };

export interface DecideOptions {
  /** True if the operator allows replacing foreign MX and TXT records; SPF records are merged. */
  takeOver?: boolean;
  /** True if the operator allows replacing foreign addresses, which usually belong to a website. */
  takeOverWeb?: boolean;
  /** Hosts that took the domains' mail by an earlier setup: their MX records may go. */
  formerMailHosts?: readonly string[];
}

export function decideRecords(
  wanted: readonly DnsRecord[],
  existing: readonly RecordSet[],
  { takeOver = false, takeOverWeb = false, formerMailHosts = [] }: DecideOptions = {},
): Decision[] {
  const plan = wanted.map(canonical);
  const sets = existing.map((set) => ({ ...set, records: set.records.map(canonical) }));
  const around = { plan, takeOver, takeOverWeb, formerMailHosts };
  const alone = plan.map((record) => decide(record, { ...around, at: atName(sets, record.name) }));
  const decisions = alone.map((decision) => whileHostIsHere(decision, alone));
  return decisions.map((decision) => whileMailIsHere(decision, decisions));
}

/** The changes of all decisions except conflicts, one per record set. */
export function changesOf(decisions: readonly Decision[], existing: readonly RecordSet[]): Change[] {
  const changes = new Map<string, { remove: DnsRecord[]; add: DnsRecord[]; name: string; type: RecordType }>();
  const changeAt = ({ name, type }: DnsRecord) => {
    const key = `${type} ${name}`;
    const change = changes.get(key) ?? { name, type, remove: [], add: [] };
    changes.set(key, change);
    return change;
  };
  for (const decision of decisions) {
    if (decision.kind !== "add" && decision.kind !== "replace") continue;
    const { add } = changeAt(decision.record);
    const isThere = hasRecord(recordsAt(existing, decision.record), decision.record);
    if (!isThere && !hasRecord(add, decision.record)) add.push(decision.record);
    for (const old of decision.kind === "replace" ? decision.old : []) {
      const { remove } = changeAt(old);
      if (!hasRecord(remove, old)) remove.push(old);
    }
  }
  return [...changes.values()].map((change) => ({ ...change, found: recordsAt(existing, change) }));
}

function recordsAt(sets: readonly RecordSet[], { name, type }: { name: string; type: RecordType }): DnsRecord[] {
  return recordsOfType(atName(sets, name), type).map(canonical);
}

/** Names in lower case without the final dot, IPv6 addresses in their shortest form (RFC 5952). */
export function canonical(record: DnsRecord): DnsRecord {
  const name = plainName(record.name);
  switch (record.type) {
    case "CNAME":
      return { ...record, name, target: plainName(record.target) };
    case "MX":
      return { ...record, name, exchange: plainName(record.exchange) };
    case "TXT":
    case "A":
      return { ...record, name };
    case "AAAA":
      return { ...record, name, address: shortIpv6(record.address) };
  }
}

const plainName = (name: string) => name.toLowerCase().replace(/\.$/, "");

function shortIpv6(address: string): string {
  return isIPv6(address) ? new SocketAddress({ address, family: "ipv6" }).address : address;
}

const valueOf = (record: DnsRecord): string =>
  JSON.stringify([
    record.type,
    record.name,
    record.type === "MX" ? [record.preference, record.exchange] : wordOf(record),
  ]);

function wordOf(record: Exclude<DnsRecord, { type: "MX" }>): string {
  if (record.type === "TXT") return record.text;
  return record.type === "CNAME" ? record.target : record.address;
}

export const isSameRecord = (a: DnsRecord, b: DnsRecord): boolean => valueOf(a) === valueOf(b);

const hasRecord = (records: readonly DnsRecord[], record: DnsRecord) =>
  records.some((one) => isSameRecord(one, record));

/** Compares sets of canonical records regardless of order. */
export function isSameSet(a: readonly DnsRecord[], b: readonly DnsRecord[]): boolean {
  const values = (records: readonly DnsRecord[]) =>
    [...new Set(records.map((one) => valueOf(canonical(one))))].sort().join("\n");
  return values(a) === values(b);
}

interface Around {
  plan: readonly DnsRecord[];
  /** Existing record sets at the record's name. */
  at: readonly RecordSet[];
  takeOver: boolean;
  takeOverWeb: boolean;
  formerMailHosts: readonly string[];
}

function atName(sets: readonly RecordSet[], name: string): RecordSet[] {
  return sets.filter((set) => plainName(set.name) === name);
}

function decide(record: DnsRecord, around: Around): Decision {
  if (record.type === "CNAME") return decideAlias(record, around);
  const aliases = recordsOfType(around.at, "CNAME");
  if (aliases.length > 0) return { kind: "conflict", record, reason: "name_in_use", found: aliases };
  if (record.type === "MX") return decideMx(record, around);
  return record.type === "TXT" ? decideText(record, around) : decideAddress(record, around);
}

function recordsOfType<T extends RecordType>(at: readonly RecordSet[], type: T): Extract<DnsRecord, { type: T }>[] {
  const isOfType = (record: DnsRecord): record is Extract<DnsRecord, { type: T }> => record.type === type;
  return at.flatMap(({ records }) => records.filter(isOfType));
}

function decideAlias(record: DnsRecord, { at }: Around): Decision {
  const aliases = recordsOfType(at, "CNAME");
  if (hasRecord(aliases, record)) return { kind: "keep", record };
  if (aliases.length > 0) return { kind: "conflict", record, reason: "other_alias", found: aliases };
  const found = at.flatMap(({ records }) => records);
  return at.length > 0 ? { kind: "conflict", record, reason: "name_in_use", found } : { kind: "add", record };
}

function decideMx(record: Extract<DnsRecord, { type: "MX" }>, around: Around): Decision {
  const { at, plan, takeOver, formerMailHosts } = around;
  const found = recordsOfType(at, "MX");
  const isPlanned = (host: string) =>
    plan.some((one) => one.type === "MX" && one.name === record.name && one.exchange === host);
  const unplanned = found.filter(({ exchange }) => !isPlanned(exchange));
  const others = unplanned.filter(({ exchange }) => !formerMailHosts.includes(exchange));
  const former = unplanned.filter(({ exchange }) => formerMailHosts.includes(exchange));
  // The same host with another preference stems from an earlier run, or the operator chose it.
  const earlier = [...found.filter(({ exchange }) => exchange === record.exchange), ...former];
  if (others.length > 0) return orTakeOver({ record, found, reason: "other_mx" }, [...others, ...earlier], takeOver);
  return orReplace(record, found, earlier);
}

function decideAddress(record: DnsRecord, { at, plan, takeOverWeb }: Around): Decision {
  // Both families: senders prefer IPv6, so a forgotten AAAA record would send mail to another machine.
  const found = [...recordsOfType(at, "A"), ...recordsOfType(at, "AAAA")];
  const others = found.filter((one) => !hasRecord(plan, one));
  if (others.length > 0) return orTakeOver({ record, found, reason: "other_address" }, others, takeOverWeb);
  return orReplace(record, found, []);
}

function decideText(record: Extract<DnsRecord, { type: "TXT" }>, { at, plan, takeOver }: Around): Decision {
  const found = recordsOfType(at, "TXT");
  const kind = textKind(record);
  if (kind === null) return orReplace(record, found, []);
  const wanted = new Set(plan.filter(({ name, type }) => name === record.name && type === "TXT").map(valueOf));
  const same = found.filter(({ text }) => kind.isSameKind(text));
  const rest = same.filter((one) => !wanted.has(valueOf(one)));
  const [only] = same;
  if (same.length === 1 && only !== undefined && kind.isAsGood(only.text, record, plan))
    return { kind: "keep", record };
  const others = rest.filter(({ text }) => !kind.isOurs(text));
  if (others.length === 0) return orReplace(record, found, rest);
  const merged = same.length === 1 && only !== undefined ? kind.merge?.(only.text, record) : undefined;
  const conflict = { record, found: same, reason: "other_text" } as const;
  if (merged === undefined) return orTakeOver(conflict, rest, takeOver);
  return takeOver
    ? { kind: "replace", record: { ...record, text: merged }, old: rest, isOfOthers: true }
    : { kind: "conflict", ...conflict, merged };
}

/** @param old records to delete when this one is added; may contain the record itself */
function orReplace(record: DnsRecord, found: readonly DnsRecord[], old: readonly DnsRecord[]): Decision {
  const gone = old.filter((one) => !isSameRecord(one, record));
  if (gone.length > 0) return { kind: "replace", record, old: gone, isOfOthers: false };
  return hasRecord(found, record) ? { kind: "keep", record } : { kind: "add", record };
}

function orTakeOver(
  conflict: Omit<Extract<Decision, { kind: "conflict" }>, "kind">,
  old: readonly DnsRecord[],
  takeOver: boolean,
): Decision {
  if (!takeOver) return { kind: "conflict", ...conflict };
  const { record } = conflict;
  return { kind: "replace", record, old: old.filter((one) => !isSameRecord(one, record)), isOfOthers: true };
}

function whileHostIsHere(decision: Decision, decisions: readonly Decision[]): Decision {
  const { kind, record } = decision;
  if (record.type !== "MX" || (kind !== "add" && kind !== "replace")) return decision;
  const isAddressOfHost = ({ type, name }: DnsRecord) => (type === "A" || type === "AAAA") && name === record.exchange;
  const blocking = decisions.find((one) => one.kind === "conflict" && isAddressOfHost(one.record));
  if (blocking?.kind !== "conflict") return decision;
  return { kind: "conflict", record, reason: "host_elsewhere", found: blocking.found };
}

/** Name prefixes of records that state a domain's mail policy. */
const policyNames = ["", "_dmarc.", "_mta-sts."];

const isPolicyOf = (domain: string, name: string) => policyNames.some((prefix) => name === prefix + domain);

/** Applies TXT records last, and no policy for a domain whose MX could not be changed. */
export async function applyInOrder(provider: DnsProvider, changes: readonly Change[]): Promise<ApplyResult> {
  const texts = changes.filter(({ type }) => type === "TXT");
  const { done, left } = await provider.apply(changes.filter(({ type }) => type !== "TXT"));
  const stop = left.find(({ problem }) => !ofOneChange.has(problem))?.problem;
  const problemOf = ({ name }: Change): DnsProblem | undefined =>
    stop ?? (left.some((one) => one.type === "MX" && isPolicyOf(one.name, name)) ? "mail_elsewhere" : undefined);
  const last = await provider.apply(texts.filter((change) => problemOf(change) === undefined));
  const held = texts.flatMap((change) => {
    const problem = problemOf(change);
    return problem === undefined ? [] : [{ ...change, problem }];
  });
  return { done: [...done, ...last.done], left: [...left, ...last.left, ...held] };
}

/** Postpones `-all` and `p=reject` while others receive or send the domain's mail: the policies would break theirs. */
function whileMailIsHere(decision: Decision, decisions: readonly Decision[]): Decision {
  if (decision.kind !== "add" && decision.kind !== "replace") return decision;
  const { record } = decision;
  if (record.type !== "TXT") return decision;
  const blocking = decisions.find(
    (one) =>
      one.kind === "conflict" &&
      (one.record.type === "MX" || (one.record.type === "TXT" && /^v=spf1/i.test(one.record.text))) &&
      isPolicyOf(one.record.name, record.name),
  );
  if (blocking?.kind !== "conflict") return decision;
  return { kind: "conflict", record, reason: "mail_elsewhere", found: blocking.found };
}
