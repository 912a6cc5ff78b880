/**
 * Addresses for an alias' bounces, made with the server's key: SRS with the sender (`SRS0=…=BB=example.org=ann`) if it
 * may get bounces, else `srs0-<id>-bb-<proof>`, with a token for a sender too long for SRS.
 */
import { timingSafeEqual } from "node:crypto";
import {
  fromBase32,
  isSrsStampFresh,
  SRS_HINT_CHARACTERS,
  SRS_MAX_AGE_DAYS,
  type SrsHash,
  type SrsSubject,
  srsStamp,
  toBase32,
} from "@kauke/mail-rfc";
import { type BounceSender, type BounceSenderStore, utcDay } from "../../core/bounce-sender.ts";
import { TokenBuckets } from "../../limits/rate.ts";
import { bounds, type RowRules, rowsPerDay } from "../../limits/table.ts";
import { BoundedMap } from "../../runtime/maps.ts";
import { type Clock, steadyMs } from "../../runtime/ports.ts";

/** Alias id, day stamp, proof, token of the sender. */
const PATTERN = /^srs0-([a-z2-7]{26})-([a-z2-7]{2})-([a-z2-7]{13})(?:-([a-z2-7]{15}))?$/;
/** Older form without a day stamp: valid while the alias exists, at any domain of ours. */
const OLDER_PATTERN = /^srs0-([0-9a-f]{32})-([0-9a-f]{16})$/;
const PROOF_BYTES = 8;
const TOKEN_BYTES = 9;

export interface BounceAddressParts {
  aliasId: string;
  domain: string;
  now: Date;
  token?: Buffer;
}

export interface BounceAddress {
  aliasId: string;
  token: Buffer | null;
}

/** @returns a local part of 48 octets, or 64 with a token */
export function bounceAddress({ aliasId, domain, now, token }: BounceAddressParts, hash: SrsHash): string {
  const id = toBase32(Buffer.from(aliasId.replaceAll("-", ""), "hex"));
  const stamp = srsStamp(now).toLowerCase();
  const text = token && toBase32(token);
  const local = `srs0-${id}-${stamp}-${proofOf({ id, stamp, domain, token: text }, hash)}`;
  return `${text === undefined ? local : `${local}-${text}`}@${domain}`;
}

/** The same for all mail of a sender to this alias. @param sender not normalized */
export function bounceToken(aliasId: string, sender: string, hash: SrsHash): Buffer {
  return hash(`bounce sender\0${aliasId}\0${sender}`).subarray(0, TOKEN_BYTES);
}

/** @returns `null` unless it is our bounce address and not too old */
export function readBounceAddress(
  path: { local: string; domain: string },
  hash: SrsHash,
  now: Date,
): BounceAddress | null {
  const [local, domain] = [path.local.toLowerCase(), path.domain.toLowerCase()];
  const [, id, stamp, proof, token] = PATTERN.exec(local) ?? [];
  if (id === undefined || stamp === undefined || proof === undefined) return readOlder(local, hash);
  if (!isSrsStampFresh(stamp, now) || !isSame(proofOf({ id, stamp, domain, token }, hash), proof)) return null;
  const bytes = fromBase32(id);
  if (bytes === null) return null;
  return { aliasId: toUuid(bytes.toString("hex")), token: token === undefined ? null : fromBase32(token) };
}

/** The first 30 bits of the alias' id, as a hint in SRS addresses. */
export function srsSubject(aliasId: string): SrsSubject {
  const start = Buffer.from(aliasId.slice(0, 8), "hex");
  return { id: aliasId, hint: toBase32(start).slice(0, SRS_HINT_CHARACTERS) };
}

/** The lowest and highest alias id that begin with the hint of an SRS address. */
export function idsOfHint(hint: string): [first: string, last: string] {
  const bits = (fromBase32(`${hint}aa`) ?? Buffer.alloc(5)).readUInt32BE();
  const startOf = (value: number) => value.toString(16).padStart(8, "0");
  return [toUuid(startOf(bits).padEnd(32, "0")), toUuid(startOf(bits + 3).padEnd(32, "f"))];
}

function readOlder(local: string, hash: SrsHash): BounceAddress | null {
  const [, id, proof] = OLDER_PATTERN.exec(local) ?? [];
  if (id === undefined || proof === undefined) return null;
  const isOurs = isSame(hash(`bounce\0${id}`).toString("hex").slice(0, 16), proof);
  return isOurs ? { aliasId: toUuid(id), token: null } : null;
}

interface Proven {
  id: string;
  stamp: string;
  domain: string;
  token: string | undefined;
}

function proofOf({ id, stamp, domain, token }: Proven, hash: SrsHash): string {
  const text = `bounce\0${domain}\0${id}\0${stamp}${token === undefined ? "" : `\0${token}`}`;
  return toBase32(hash(text).subarray(0, PROOF_BYTES));
}

function isSame(wanted: string, given: string): boolean {
  return wanted.length === given.length && timingSafeEqual(Buffer.from(wanted), Buffer.from(given));
}

function toUuid(hex: string): string {
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

export interface AccountBounceSender extends BounceSender {
  userId: string;
}

const DAY_MS = 86_400_000;

/** Stores senders for the tokens in bounce addresses. One over a limit is not stored, and gets no bounces. */
export class BounceSenders {
  readonly #store: Pick<BounceSenderStore, "ensure">;
  readonly #clock: Clock;
  /** Last day for which rows are stored, by token in hex. */
  readonly #stored = new BoundedMap<string, string>(bounds.remembered.bounceSenders);
  readonly #limits: Record<keyof RowRules, TokenBuckets> | null;

  constructor(
    store: Pick<BounceSenderStore, "ensure">,
    clock: Clock,
    rules: RowRules | null = rowsPerDay(bounds.newBounceSenders),
  ) {
    this.#store = store;
    this.#clock = clock;
    this.#limits = rules && {
      alias: new TokenBuckets(rules.alias, bounds.rateBuckets.keys),
      account: new TokenBuckets(rules.account, bounds.rateBuckets.keys),
    };
  }

  /** @param receivedAt arrival of the message, whose day is in its bounce addresses */
  async keep(senders: readonly AccountBounceSender[], receivedAt: Date): Promise<void> {
    const expiresOn = utcDay(new Date(receivedAt.getTime() + (SRS_MAX_AGE_DAYS + 1) * DAY_MS));
    const due = senders.filter((sender) => !this.#isStored(sender, expiresOn) && this.#take(sender));
    const byAccount = [...Map.groupBy(due, ({ userId }) => userId)];
    await Promise.all(byAccount.map(([account, own]) => this.#store.ensure(own, { expiresOn, account })));
    for (const { token } of due) this.#stored.set(token.toString("hex"), expiresOn);
  }

  #isStored({ token }: BounceSender, expiresOn: string): boolean {
    return (this.#stored.get(token.toString("hex")) ?? "") >= expiresOn;
  }

  #take({ aliasId, userId }: AccountBounceSender): boolean {
    if (this.#limits === null) return true;
    const { alias, account } = this.#limits;
    const now = steadyMs(this.#clock);
    return !account.isEmpty(userId, now) && alias.take(aliasId, now) && account.take(userId, now);
  }
}
