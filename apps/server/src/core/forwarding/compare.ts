/** What differs between the records that the forwarding provider should have and its copies. */
import { createHash } from "node:crypto";
import { aliasAddress } from "../alias/alias.ts";
import type { ProviderRecord } from "./forwarding-provider.ts";
import type { ProviderCopy } from "./provider-account.ts";

export interface OurAlias {
  aliasId: string;
  record: Pick<ProviderRecord, "name" | "domain" | "recipients" | "isEnabled" | "codeIfDisabled">;
  /** Number of the alias' latest change when `record` was read; 0 when it was never due at the provider. */
  version: number;
}

/**
 * `missing`: only here; `left_over`: only there, with our mark; `foreign`: only there, made by somebody else;
 * `conflict`: the address of our alias, made by somebody else with other destinations; `double`: a second copy.
 */
export const differenceKinds = ["missing", "left_over", "different", "conflict", "double", "foreign"] as const;
export type DifferenceKind = (typeof differenceKinds)[number];

/** `mark`: a copy like ours that somebody else made, so it gets our mark. */
export type DifferentPart = "recipients" | "state" | "address" | "mark";

export interface CopyDifference {
  kind: DifferenceKind;
  /** Id of the provider's copy; `null` for an alias without a copy. */
  address: string | null;
  providerId: string | null;
  /** `null` for a foreign copy. */
  aliasId: string | null;
  /** Of our alias; `null` when we have none. */
  version: number | null;
  parts: readonly DifferentPart[];
}

interface Expected {
  address: string;
  recipients: string;
  /** Reply code while it is off; 0 while it is on. */
  code: number;
  version: number;
  isSeen: boolean;
}

/**
 * Reads all of ours first, then the copies page by page. Memory per alias of ours: about 350 bytes, because only digests of
 * addresses and recipients are in memory, so 35 MB for 100,000 aliases; a copy needs memory only if it differs.
 */
export async function compareCopies(
  ours: AsyncIterable<readonly OurAlias[]>,
  copies: AsyncIterable<readonly ProviderCopy[]>,
): Promise<CopyDifference[]> {
  const expected = new Map<string, Expected>();
  const byAddress = new Map<string, string>();
  for await (const page of ours)
    for (const { aliasId, record, version } of page) {
      const address = digest(aliasAddress(record.name, record.domain));
      const { isEnabled, codeIfDisabled } = record;
      const code = isEnabled ? 0 : codeIfDisabled;
      expected.set(aliasId, { address, recipients: digestOf(record.recipients), code, version, isSeen: false });
      byAddress.set(address, aliasId);
    }
  const found: CopyDifference[] = [];
  for await (const page of copies)
    for (const copy of page) {
      const difference = judge(copy, { expected, byAddress });
      if (difference !== null) found.push(difference);
    }
  for (const [aliasId, { isSeen, version }] of expected)
    if (!isSeen) found.push({ kind: "missing", address: null, providerId: null, aliasId, version, parts: [] });
  return found;
}

interface Ours {
  expected: ReadonlyMap<string, Expected>;
  byAddress: ReadonlyMap<string, string>;
}

function judge(copy: ProviderCopy, { expected, byAddress }: Ours): CopyDifference | null {
  const address = digest(copy.address);
  const ownerId = byAddress.get(address);
  const { providerId } = copy;
  const differs = (
    kind: DifferenceKind,
    aliasId: string | null,
    parts: readonly DifferentPart[] = [],
  ): CopyDifference => {
    const version = aliasId === null ? null : (expected.get(aliasId)?.version ?? null);
    return { kind, address: copy.address, providerId, aliasId, version, parts };
  };
  if (copy.isOperators === true) return null;
  if (copy.aliasId === null) {
    const owner = ownerId === undefined ? undefined : expected.get(ownerId);
    if (owner === undefined || ownerId === undefined) return differs("foreign", null);
    owner.isSeen = true;
    // One that stores mail is not taken over.
    const isAlike = copy.hasImap !== true && partsOf(owner, copy).length === 0;
    return isAlike ? differs("different", ownerId, ["mark"]) : differs("conflict", ownerId);
  }
  const alias = expected.get(copy.aliasId);
  if (alias === undefined) return differs("left_over", copy.aliasId);
  if (alias.isSeen) return differs("double", copy.aliasId);
  alias.isSeen = true;
  const parts = [...(ownerId === copy.aliasId ? [] : (["address"] as const)), ...partsOf(alias, copy)];
  return parts.length === 0 ? null : differs("different", copy.aliasId, parts);
}

function partsOf({ recipients, code }: Expected, copy: ProviderCopy): DifferentPart[] {
  const theirCode = copy.isEnabled ? 0 : copy.codeIfDisabled;
  return [
    ...(digestOf(copy.recipients) === recipients ? [] : (["recipients"] as const)),
    ...(theirCode === code ? [] : (["state"] as const)),
  ];
}

/** The provider writes mailboxes in lower case, and in an order of its own. */
function digestOf(recipients: readonly string[]): string {
  const same = recipients.map((one) => (one.includes("://") ? one : one.toLowerCase()));
  return digest(JSON.stringify([...new Set(same)].toSorted()));
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, 22);
}
