/** A message beyond a limit is refused, not sent unsearched. */
export type Unsearchable = "unpacks_too_far" | "too_many_members" | "too_deep";

export interface UnpackLimits {
  /** Maximum inflated bytes over all parts; office files inflate tenfold, log files thirtyfold. */
  inflatedBytesMax: number;
  membersMax: number;
  /** Maximum depth; a file in an archive that is attached to an attached message has depth three. */
  depthMax: number;
  /** Maximum bytes of a nested container that is unpacked; other data may be longer. */
  heldBytesMax: number;
}

export const unpackLimits: UnpackLimits = {
  inflatedBytesMax: 256 * 1024 * 1024,
  membersMax: 50_000,
  depthMax: 12,
  heldBytesMax: 32 * 1024 * 1024,
};

export class UnsearchableError extends Error {
  readonly reason: Unsearchable;

  constructor(reason: Unsearchable) {
    super(reason);
    this.reason = reason;
  }
}

export class UnpackBudget {
  readonly limits: UnpackLimits;
  #inflatedBytes = 0;
  #members = 0;

  constructor(limits: UnpackLimits = unpackLimits) {
    this.limits = limits;
  }

  /** @throws UnsearchableError `unpacks_too_far` */
  countInflated(bytes: number): void {
    this.#inflatedBytes += bytes;
    if (this.#inflatedBytes > this.limits.inflatedBytesMax) throw new UnsearchableError("unpacks_too_far");
  }

  /** @throws UnsearchableError `too_many_members` */
  countMember(): void {
    this.#members += 1;
    if (this.#members > this.limits.membersMax) throw new UnsearchableError("too_many_members");
  }

  /** @throws UnsearchableError `too_deep` */
  checkDepth(depth: number): void {
    if (depth > this.limits.depthMax) throw new UnsearchableError("too_deep");
  }
}
