/** One try to bring an alias in step: what is known, and how each call's outcome changes that. Pure. */
import { aliasAddress } from "../../core/alias/alias.ts";
import {
  type KnownRecord,
  type LateCall,
  nothingKnown,
  type ProviderRecord,
  type WantedRecord,
} from "../../core/forwarding/forwarding-provider.ts";
import type { ProviderCopy } from "../../core/forwarding/provider-account.ts";
import { recordMark } from "./alias-record.ts";

/** What is known, and what the calls of this round have shown. */
export interface Round {
  aliasId: string;
  wanted: WantedRecord;
  known: KnownRecord;
  isRecheck: boolean;
  /** Milliseconds since 1970. */
  now: number;
  /** Copies that were looked up, by `name@domain` and by id; `null`: the provider has none. */
  seen: ReadonlyMap<string, ProviderCopy | null>;
  /** Whether the provider has confirmed the wanted record in this round. */
  isSet: boolean;
  /** Changes that the provider refused with 400: `create`, `password`, or `update`, `turn_off`, `delete` and an id. */
  refused: ReadonlySet<string>;
}

export function lateAddresses(known: KnownRecord): string[] {
  return (known.late ?? []).flatMap(({ address }) => (address === null ? [] : [address]));
}

export function recordOf({ wanted }: Round): ProviderRecord {
  if (wanted === null) throw new Error("no record is wanted");
  return wanted;
}

/** Forgets late calls that have come to nothing. */
export function endOf(
  { known, seen, wanted, aliasId, now }: Round,
  isSure: boolean,
): { isSure: boolean; known: KnownRecord } {
  const { late = [], ...rest } = known;
  const left = late.filter(({ address, until }) => {
    if (address === null) return wanted !== null;
    if (until > now) return true;
    if (known.providerId !== null && address === known.address) return false;
    const copy = seen.get(address);
    return copy === undefined || copy?.aliasId === aliasId;
  });
  if (left.length === 0) return { isSure, known: rest };
  return { isSure: isSure && left.every(({ until }) => until <= now), known: { ...rest, late: left } };
}

export function withLate({ late = [], ...known }: KnownRecord, call: LateCall): KnownRecord {
  return { ...known, late: [...late.filter(({ address }) => address !== call.address), call] };
}

export const withKnown = (round: Round, known: KnownRecord): Round => ({ ...round, known });

export function withSeen(round: Round, key: string, copy: ProviderCopy | null): Round {
  return { ...round, seen: new Map(round.seen).set(key, copy) };
}

export function forgetAddress(round: Round, address: string): Round {
  const seen = new Map(round.seen);
  seen.delete(address);
  return { ...round, seen };
}

export const asRefused = (round: Round, change: string): Round => ({
  ...round,
  refused: new Set([...round.refused, change]),
});

/** The provider has no copy of this id. */
export function withoutCopy(round: Round, id: string): Round {
  const { known, wanted } = round;
  const seen = new Map([...round.seen].map(([key, copy]) => [key, copy?.providerId === id ? null : copy]));
  seen.set(id, null);
  if (known.providerId !== id) return { ...round, seen };
  const address = wanted === null ? known.address : aliasAddress(wanted.name, wanted.domain);
  const late = known.late === undefined ? {} : { late: known.late };
  return { ...round, seen, isSet: false, known: { ...nothingKnown, address, ...late } };
}

/** The provider has confirmed the wanted record. */
export function asSet(round: Round, copy: ProviderCopy): Round {
  const { providerId, address } = copy;
  const known = { ...round.known, providerId, address, mark: recordMark(round.aliasId, recordOf(round)) };
  return withSeen({ ...round, isSet: true, known }, providerId, copy);
}
