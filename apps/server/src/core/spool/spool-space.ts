/**
 * How much undelivered mail an account and an alias may hold on disk, in bytes, whichever way it came: forwarded, submitted,
 * composed, scheduled or as an answer. When the disk is nearly full the shares shrink with what is left of the reserve, so that
 * the accounts that hold most are refused first and the mail of all others is still kept.
 */
import { AppError } from "../app-error.ts";
import { type DeliveryStore, SPOOL_ROW_BYTES } from "../delivery/delivery.ts";
import { SpoolMeter } from "./spool-meter.ts";

/** Of an account's share, for one alias: a flood to one alias leaves room for the account's other mail. */
const ALIAS_SHARE = 1 / 2;

export interface DiskReserve {
  /** What is left of the reserve, 0 to 1; 1 while the disk has room. */
  share(): number;
  /** Tells that so much is about to be written. */
  take(bytes: number): void;
}

/** Whose a delivery is; `null`s are the operator's, whose mail has a bound of its own. */
export interface SpoolParty {
  userId: string | null;
  aliasId: string | null;
}

export interface SpoolSpaceParts {
  deliveries: Pick<DeliveryStore, "spoolBytes">;
  accountMaxBytes: number;
  /** `null`: bodies do not lie on this machine's disk. */
  disk: DiskReserve | null;
  /** Milliseconds. */
  now(): number;
}

/** The place of one message; call one of the two, once. */
export interface SpoolPlace {
  /** The message is in the queue. */
  stored(): void;
  /** The message is not in the queue, or its bytes are gone again. */
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
      new SpoolMeter({ maxBytes, now, count: (id) => deliveries.spoolBytes(owner, id) });
    this.#accounts = meter("account", accountMaxBytes);
    this.#aliases = meter("alias", accountMaxBytes * ALIAS_SHARE);
    this.#disk = disk;
  }

  /**
   * Called before a message is written.
   * @param parties of each delivery that is to be kept
   * @throws AppError `spool_quota` when an account or alias among them would hold too much
   */
  async reserve(sizeBytes: number, parties: readonly SpoolParty[]): Promise<SpoolPlace> {
    const claims = this.#claimsOf(sizeBytes, parties);
    const due = claims.filter(({ meter, key, bytes }) => meter.needsCount(key, bytes, this.#share));
    if (due.length > 0) await Promise.all(due.map(({ meter, key }) => meter.count(key)));
    // From here to `admit` nothing else runs, so that no two messages get the same place.
    const share = this.#share;
    if (!claims.every(({ meter, key, bytes }) => meter.fits(key, bytes, share))) throw new AppError("spool_quota");
    for (const { meter, key, bytes } of claims) meter.admit(key, bytes);
    this.#disk?.take(sizeBytes);
    return placeOf(claims);
  }

  /** Whether mail for an alias would certainly be refused, so that its sender can hear it before the data. */
  isFull({ userId, aliasId }: { userId: string; aliasId: string }): boolean | Promise<boolean> {
    const owners = [
      { meter: this.#accounts, key: userId },
      { meter: this.#aliases, key: aliasId },
    ];
    const share = this.#share;
    const full = owners.filter(({ meter, key }) => meter.isFull(key, share));
    if (full.length === 0) return false;
    const due = full.filter(({ meter, key }) => meter.mayCount(key));
    if (due.length < full.length) return true;
    const counted = Promise.all(due.map(({ meter, key }) => meter.count(key)));
    return counted.then(() => due.some(({ meter, key }) => meter.isFull(key, this.#share)));
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
