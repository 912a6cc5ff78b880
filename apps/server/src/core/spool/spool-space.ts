/**
 * Limits how many bytes of undelivered mail an account and an alias may hold on disk: forwarded, submitted, composed,
 * scheduled or replied. When the disk is nearly full, the limits shrink with the remaining reserve, so that the
 * accounts that hold most are refused first and mail of all others is still accepted.
 */
import { bounds } from "../../limits/table.ts";
import { AppError } from "../app-error.ts";
import { type DeliveryStore, SPOOL_ROW_BYTES } from "../delivery/delivery.ts";
import { SpoolMeter } from "./spool-meter.ts";

export interface DiskReserve {
  /** Remaining share of the disk reserve, 0 to 1; 1 while the disk has enough space. */
  share(): number;
  take(bytes: number): void;
}

/** Account and alias of a delivery; both `null` for mail to the operator, which has its own limit. */
export interface SpoolParty {
  userId: string | null;
  aliasId: string | null;
}

export interface SpoolSpaceParts {
  deliveries: Pick<DeliveryStore, "spoolBytes">;
  accountMaxBytes: number;
  /** Free space of the disk that holds message bodies; `null` when they are not stored on this machine's disk. */
  disk: DiskReserve | null;
  now(): number;
}

/** Spool space reserved for one message. Either `stored` or `release` must be called, once. */
export interface SpoolPlace {
  /** The message is in the queue: its bytes count until it is delivered. */
  stored(): void;
  /** The message was not enqueued, or its bytes were deleted: frees the space. */
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

  /** Reserves space. @param parties account and alias of each delivery @throws AppError `spool_quota` above a limit */
  async reserve(sizeBytes: number, parties: readonly SpoolParty[]): Promise<SpoolPlace> {
    const claims = this.#claimsOf(sizeBytes, parties);
    const due = claims.filter(({ meter, key, bytes }) => meter.needsCount(key, bytes, this.#share));
    if (due.length > 0) await Promise.all(due.map(({ meter, key }) => meter.count(key)));
    // No `await` from here to `admit`, so that two messages cannot reserve the same space.
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
