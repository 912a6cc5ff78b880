/** Limits undelivered bytes per account and alias. On a nearly full disk, those that hold most are refused first. */
import { bounds } from "../../limits/table.ts";
import { BoundedMap } from "../../runtime/maps.ts";
import { type Clock, steadyMs } from "../../runtime/ports.ts";
import { AppError } from "../app-error.ts";
import { type DeliveryStore, SPOOL_ROW_BYTES } from "../delivery/delivery.ts";

export interface DiskReserve {
  /** Remaining part of the disk reserve, 0 to 1; 1 while the disk has enough space. */
  share(): number;
  take(bytes: number): void;
}

/** Account and alias of a delivery; both `null` for mail to the operator. */
export interface SpoolParty {
  userId: string | null;
  aliasId: string | null;
}

export interface SpoolSpaceParts {
  deliveries: Pick<DeliveryStore, "spoolBytes">;
  accountMaxBytes: number;
  /** `null` when message bodies are not stored on this machine's disk. */
  disk: DiskReserve | null;
  now(): number;
}

/** Space reserved for one message. Call `stored` or `release`, once. */
export interface SpoolPlace {
  stored(): void;
  /** Frees the space of a message that was not enqueued, or whose bytes were deleted. */
  release(): void;
}

interface Claim {
  meter: SpoolMeter;
  key: string;
  bytes: number;
}

export class SpoolSpace {
  readonly #accounts: SpoolMeter;
  readonly #aliases: SpoolMeter;
  readonly #disk: DiskReserve | null;

  constructor({ deliveries, accountMaxBytes, disk, now }: SpoolSpaceParts) {
    const meter = (owner: "account" | "alias", maxBytes: number) =>
      new SpoolMeter({
        maxBytes,
        now,
        count: (id) => deliveries.spoolBytes(owner, id),
      });
    this.#accounts = meter("account", accountMaxBytes);
    this.#aliases = meter("alias", accountMaxBytes * bounds.spoolBytes.aliasPart);
    this.#disk = disk;
  }

  /** @param parties account and alias of each delivery @throws AppError `spool_quota` above a limit */
  async reserve(sizeBytes: number, parties: readonly SpoolParty[]): Promise<SpoolPlace> {
    const claims = this.#claimsOf(sizeBytes, parties);
    const due = claims.filter(({ meter, key, bytes }) => meter.needsCount(key, bytes, this.#share));
    if (due.length > 0) await Promise.all(due.map(({ meter, key }) => meter.count(key)));
    // No `await` from here to `admit`, so that two messages can't reserve the same space.
    const share = this.#share;
    if (!claims.every(({ meter, key, bytes }) => meter.fits(key, bytes, share))) throw new AppError("spool_quota");
    for (const { meter, key, bytes } of claims) meter.admit(key, bytes);
    this.#disk?.take(sizeBytes);
    return placeOf(claims);
  }

  /** Whether mail for an alias would certainly be refused, so that RCPT can already be rejected. */
  async isFull({ userId, aliasId }: { userId: string; aliasId: string }): Promise<boolean> {
    const owners = [
      { meter: this.#accounts, key: userId },
      { meter: this.#aliases, key: aliasId },
    ];
    const share = this.#share;
    const full = owners.filter(({ meter, key }) => meter.isFull(key, share));
    if (full.length === 0) return false;
    const due = full.filter(({ meter, key }) => meter.mayCount(key));
    if (due.length < full.length) return true;
    await Promise.all(due.map(({ meter, key }) => meter.count(key)));
    return due.some(({ meter, key }) => meter.isFull(key, this.#share));
  }

  get #share(): number {
    return this.#disk?.share() ?? 1;
  }

  #claimsOf(sizeBytes: number, parties: readonly SpoolParty[]): Claim[] {
    const claims = (meter: SpoolMeter, of: "userId" | "aliasId"): Claim[] =>
      [...Map.groupBy(parties, (party) => party[of])].flatMap(([key, { length }]) =>
        key === null ? [] : [{ meter, key, bytes: sizeBytes + length * SPOOL_ROW_BYTES }],
      );
    return [...claims(this.#accounts, "userId"), ...claims(this.#aliases, "aliasId")];
  }
}

function placeOf(claims: readonly Claim[]): SpoolPlace {
  let isSettled = false;
  const settle = (isStored: boolean) => {
    if (isSettled) return;
    isSettled = true;
    for (const { meter, key, bytes } of claims) meter.settle(key, bytes, isStored);
  };
  return { stored: () => settle(true), release: () => settle(false) };
}

/** Minimum time between two counts of a key. */
const COUNT_EVERY_MS = 1000;
/** Minimum pause after a count, as a multiple of its duration. */
const COUNT_TIME_SHARE = 20;
/** Part of its maximum that a key may add before its first count, so that little mail costs no query. */
const UNCOUNTED_SHARE = 1 / 16;
/** Part of the remaining space that a key may add before it is counted again. */
const ALLOWANCE_SHARE = 1 / 8;

interface SpoolMeterParts {
  count(key: string): Promise<number>;
  /** Maximum bytes per key while the disk has space. */
  maxBytes: number;
  now(): number;
}

interface Entry {
  countedBytes: number;
  /** Bytes stored by this process since the last count began. */
  addedBytes: number;
  /** Bytes that this process admitted, not yet stored or not in the last count. */
  inFlightBytes: number;
  allowanceBytes: number;
  mayCountAt: number;
  counting: Promise<void> | null;
}

/** The store's last count plus bytes added since. Counts again before a refusal, since mail may have been delivered. */
class SpoolMeter {
  readonly #parts: SpoolMeterParts;
  readonly #entries = new Map<string, Entry>();

  constructor(parts: SpoolMeterParts) {
    this.#parts = parts;
  }

  /** Whether to call `count` before `fits`. @param share part of the maximum, 0 to 1 */
  needsCount(key: string, bytes: number, share: number): boolean {
    const entry = this.#entries.get(key) ?? this.#enter(key);
    const isLittle = share === 1 && entry.addedBytes + entry.inFlightBytes + bytes <= entry.allowanceBytes;
    return !isLittle && this.mayCount(key);
  }

  /** Whether a message fits into the key's spool quota, by the present figures. */
  fits(key: string, bytes: number, share: number): boolean {
    return this.#heldBytes(key) + bytes <= this.#parts.maxBytes * share;
  }

  mayCount(key: string): boolean {
    return this.#parts.now() >= (this.#entries.get(key)?.mayCountAt ?? 0);
  }

  /** Whether the key has used up its quota; false for one that was never counted. */
  isFull(key: string, share: number): boolean {
    return this.#entries.has(key) && this.#heldBytes(key) >= this.#parts.maxBytes * share;
  }

  async count(key: string): Promise<void> {
    const entry = this.#entries.get(key) ?? this.#enter(key);
    entry.counting ??= this.#count(key, entry).finally(() => {
      entry.counting = null;
    });
    await entry.counting;
  }

  admit(key: string, bytes: number): void {
    (this.#entries.get(key) ?? this.#enter(key)).inFlightBytes += bytes;
  }

  /** Call once per admitted message, when it was stored or will not be. */
  settle(key: string, bytes: number, isStored: boolean): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    entry.inFlightBytes -= bytes;
    if (isStored) entry.addedBytes += bytes;
  }

  #heldBytes(key: string): number {
    const entry = this.#entries.get(key);
    return entry === undefined ? 0 : entry.countedBytes + entry.addedBytes + entry.inFlightBytes;
  }

  async #count(key: string, entry: Entry): Promise<void> {
    const { now, maxBytes, count } = this.#parts;
    const [startedAt, addedBefore] = [now(), entry.addedBytes];
    entry.countedBytes = await count(key);
    entry.addedBytes -= addedBefore;
    entry.allowanceBytes = Math.max(0, maxBytes - entry.countedBytes) * ALLOWANCE_SHARE;
    const tookMs = now() - startedAt;
    entry.mayCountAt = now() + Math.max(COUNT_EVERY_MS, tookMs * COUNT_TIME_SHARE);
  }

  #enter(key: string): Entry {
    if (this.#entries.size >= bounds.remembered.spoolOwners) this.#evict();
    const allowanceBytes = this.#parts.maxBytes * UNCOUNTED_SHARE;
    const nothing = { countedBytes: 0, addedBytes: 0, inFlightBytes: 0, mayCountAt: 0, counting: null };
    const entry: Entry = { ...nothing, allowanceBytes };
    this.#entries.set(key, entry);
    return entry;
  }

  #evict(): void {
    for (const [key, entry] of this.#entries) {
      if (entry.inFlightBytes > 0 || entry.counting !== null) continue;
      this.#entries.delete(key);
      return;
    }
  }
}

const CACHED_MS = 5000;

interface Watched {
  /** Deliveries until the next count: half of the remaining quota, because other processes spool too. */
  spare: number;
  until: number;
}

/** Open deliveries per alias (452 4.2.2). Counts only aliases with recently spooled mail; other mail costs no query. */
export class SpoolQuota {
  readonly #deliveries: Pick<DeliveryStore, "countForAlias">;
  readonly #clock: Clock;
  readonly #watched = new BoundedMap<string, Watched>(bounds.remembered.spooledTo);

  constructor(deliveries: Pick<DeliveryStore, "countForAlias">, clock: Clock) {
    this.#deliveries = deliveries;
    this.#clock = clock;
  }

  watch(aliasId: string): void {
    const watched = this.#watched.get(aliasId);
    if (watched === undefined) this.#watched.set(aliasId, { spare: 0, until: 0 });
    else watched.spare--;
  }

  async isFull(aliasId: string): Promise<boolean> {
    const watched = this.#watched.get(aliasId);
    if (watched === undefined) return false;
    const isCached = watched.spare > 0 && steadyMs(this.#clock) < watched.until;
    return isCached ? false : this.#count(aliasId);
  }

  async #count(aliasId: string): Promise<boolean> {
    const open = await this.#deliveries.countForAlias(aliasId);
    if (open === 0) this.#watched.delete(aliasId);
    const watched = this.#watched.get(aliasId);
    if (watched !== undefined) {
      watched.spare = Math.floor((bounds.spooledDeliveries.alias - open) / 2);
      watched.until = steadyMs(this.#clock) + CACHED_MS;
    }
    return open >= bounds.spooledDeliveries.alias;
  }
}
