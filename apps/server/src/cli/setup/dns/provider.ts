/** What `kauke setup` needs of whoever hosts a zone: to read record sets and to change them. */
import type { DnsRecord } from "@kauke/mail-rfc";

export type RecordType = DnsRecord["type"];

/** The records of one type at one name. Of a type that `DnsRecord` lacks it says only that it exists: no `records`. */
export interface RecordSet {
  name: string;
  type: string;
  records: readonly DnsRecord[];
}

/** A change of one record set; records of the set that it does not name stay. */
export interface Change {
  name: string;
  type: RecordType;
  /** The set when the change was decided. A provider refuses the change with `changed` if it is another by now. */
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
 * - `mail_elsewhere`: a policy whose domain kept the MX of others
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

/** Has no text of the provider and no `cause`: either could contain the credential. */
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
  /**
   * All record sets at these names.
   * @param names in lower case, without the final dot
   * @throws DnsProviderError
   */
  read(names: readonly string[], signal?: AbortSignal): Promise<RecordSet[]>;
  /** Throws for none of these problems: what could not be done is in `left`, with the reason. */
  apply(changes: readonly Change[], signal?: AbortSignal): Promise<ApplyResult>;
}

/** Milliseconds for one request to a provider. */
export const REQUEST_MS = 15_000;
/** Of new record sets; also the minimum of deSEC. */
export const TTL_SECONDS = 3600;

/** Problems that say nothing about the next change. */
export const ofOneChange: ReadonlySet<DnsProblem> = new Set(["refused", "changed", "zone_unknown", "mail_elsewhere"]);

/** Makes changes one after the other; after a problem that the next one would meet too, the rest is left. */
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

/** The zone with the longest name that contains `name`. */
export function zoneOfName<Z extends { name: string }>(name: string, zones: readonly Z[]): Z {
  const containing = zones.filter((zone) => name === zone.name || name.endsWith(`.${zone.name}`));
  const [zone] = containing.toSorted((a, b) => b.name.length - a.name.length);
  if (zone === undefined) throw new DnsProviderError("zone_unknown");
  return zone;
}

/** The labels before the name of the zone; none for its apex. */
export function labelsIn(zone: string, name: string): string {
  return name === zone ? "" : name.slice(0, -zone.length - 1);
}
