/** Reads and changes record sets at whoever hosts a zone. */
import type { DnsRecord } from "@kauke/mail-rfc";

export type RecordType = DnsRecord["type"];

/** The records of one type at one name; without `records` for a type that `DnsRecord` lacks. */
export interface RecordSet {
  name: string;
  type: string;
  records: readonly DnsRecord[];
}

/** A change of one record set. Records that it does not name stay. */
export interface Change {
  name: string;
  type: RecordType;
  /** The set when the change was decided. The provider refuses with `changed` if the set is different now. */
  found: readonly DnsRecord[];
  remove: readonly DnsRecord[];
  add: readonly DnsRecord[];
}

/**
 * - `unauthorized`: the credential is wrong, expired, or may not do this
 * - `clock_wrong`: signatures are refused because the clocks differ by minutes
 * - `zone_unknown`: no zone that the credential reaches contains the name
 * - `unreachable`: no response in time, or the provider is out of order; a change may have been made nevertheless
 * - `refused`: the provider says no to this one change
 * - `changed`: somebody else changed the record set meanwhile
 * - `aborted`: the caller's signal
 * - `mail_elsewhere`: a mail policy for a domain whose MX still points to other hosts
 */
export type DnsProblem =
  | "unauthorized"
  | "clock_wrong"
  | "zone_unknown"
  | "unreachable"
  | "rate_limited"
  | "refused"
  | "response_invalid"
  | "changed"
  | "aborted"
  | "mail_elsewhere";

/** Has neither `cause` nor the provider's text: both could contain the credential. */
export class DnsProviderError extends Error {
  readonly code: DnsProblem;

  constructor(code: DnsProblem) {
    super(`DNS provider: ${code}`);
    this.code = code;
  }
}

export type LeftChange = Change & { problem: DnsProblem };

export interface ApplyResult {
  done: readonly Change[];
  left: readonly LeftChange[];
}

export interface DnsProvider {
  /** @param names in lower case, without the final dot @throws DnsProviderError */
  read(names: readonly string[], signal?: AbortSignal): Promise<RecordSet[]>;
  /** Never throws for a provider's failure: changes that were not made are in `left`, with the reason. */
  apply(changes: readonly Change[], signal?: AbortSignal): Promise<ApplyResult>;
}

/** Timeout of one request to a DNS provider, in milliseconds. */
export const REQUEST_MS = 15_000;
/** TTL of new record sets; deSEC accepts no less. */
export const TTL_SECONDS = 3600;

/** Problems of a single change, after which the next change is still tried. */
export const ofOneChange: ReadonlySet<DnsProblem> = new Set(["refused", "changed", "zone_unknown", "mail_elsewhere"]);

/** Makes changes one by one. After a problem that is not the change's own, the rest is left. */
export async function applyEach(
  changes: readonly Change[],
  make: (change: Change, at: number) => Promise<void>,
): Promise<ApplyResult> {
  const done: Change[] = [];
  const left: LeftChange[] = [];
  let stop: DnsProblem | null = null;
  for (const [at, change] of changes.entries()) {
    const problem: DnsProblem | null = stop ?? (await problemOf(make(change, at)));
    if (problem === null) done.push(change);
    else left.push({ ...change, problem });
    if (problem !== null && !ofOneChange.has(problem)) stop = problem;
  }
  return { done, left };
}

async function problemOf(work: Promise<void>): Promise<DnsProblem | null> {
  try {
    await work;
    return null;
  } catch (error) {
    if (error instanceof DnsProviderError) return error.code;
    throw error;
  }
}

export function zoneOfName<Z extends { name: string }>(name: string, zones: readonly Z[]): Z {
  const containing = zones.filter((zone) => name === zone.name || name.endsWith(`.${zone.name}`));
  const [zone] = containing.toSorted((a, b) => b.name.length - a.name.length);
  if (zone === undefined) throw new DnsProviderError("zone_unknown");
  return zone;
}

/** Labels in front of the zone's name; empty for the apex. */
export function labelsIn(zone: string, name: string): string {
  return name === zone ? "" : name.slice(0, -zone.length - 1);
}
