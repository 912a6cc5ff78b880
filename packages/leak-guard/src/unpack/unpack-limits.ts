/** Limits on how far the leak guard unpacks one message. A message beyond a limit is refused, not sent unsearched. */
import type { Unsearchable } from "../leak-finding.ts";

export interface UnpackLimits {
  /** Maximum inflated bytes over all parts. Office files typically inflate tenfold, log files thirtyfold. */
  inflatedBytesMax: number;
  /** Maximum archive members, PDF streams and similar units over all parts. */
  membersMax: number;
  /** Maximum nesting of containers: a file in an archive that is attached to an attached message has depth three. */
  depthMax: number;
  /** Maximum bytes of a nested container that is unpacked. Text and other data may be longer. */
  heldBytesMax: number;
}

export const unpackLimits: UnpackLimits = {
  inflatedBytesMax: 256 * 1024 * 1024,
  membersMax: 50_000,
  depthMax: 12,
  heldBytesMax: 32 * 1024 * 1024,
};

/** Thrown by unpackers when a limit is exceeded; the search turns it into a finding. */
export class UnsearchableError extends Error {
  readonly reason: Unsearchable;

  constructor(reason: Unsearchable) {
    super(reason);
    this.reason = reason;
  }
}

/** Counts the unpacking of one message against its limits. */
export class UnpackBudget {
  readonly limits: UnpackLimits;
  #inflatedBytes = 0;
  #members = 0;

  constructor(limits: UnpackLimits = unpackLimits) {
    this.limits = limits;
  }

  /** Adds inflated bytes to the message's total. @throws UnsearchableError `unpacks_too_far` beyond the limit */
  countInflated(bytes: number): void {
    this.#inflatedBytes += bytes;
    if (this.#inflatedBytes > this.limits.inflatedBytesMax) throw new UnsearchableError("unpacks_too_far");
  }

  /** Counts one more archive member or similar unit. @throws UnsearchableError `too_many_members` beyond the limit */
  countMember(): void {
    this.#members += 1;
    if (this.#members > this.limits.membersMax) throw new UnsearchableError("too_many_members");
  }

  /** Checks how deeply a container is nested. @throws UnsearchableError `too_deep` beyond the limit */
  checkDepth(depth: number): void {
    if (depth > this.limits.depthMax) throw new UnsearchableError("too_deep");
  }
}
