/** How far the leak guard unpacks one message. What goes beyond a limit is refused rather than passed on unread. */
import type { Unsearchable } from "../leak-finding.ts";

export interface UnpackLimits {
  /** Inflated bytes of all parts together. Office files inflate to some ten times their size, logs to thirty. */
  inflatedBytesMax: number;
  /** Members of archives, streams of PDF files and the like, of all parts together. */
  membersMax: number;
  /** Containers within containers: an archive in an attached message in a message has three. */
  depthMax: number;
  /** A container within a container must fit here to be opened; text and other data may be longer. */
  heldBytesMax: number;
}

export const unpackLimits: UnpackLimits = {
  inflatedBytesMax: 256 * 1024 * 1024,
  membersMax: 50_000,
  depthMax: 12,
  heldBytesMax: 32 * 1024 * 1024,
};

/** Thrown by whoever unpacks; the search turns it into a finding. */
export class UnsearchableError extends Error {
  readonly reason: Unsearchable;

  constructor(reason: Unsearchable) {
    super(reason);
    this.reason = reason;
  }
}

/** What is left of the limits for one message. */
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
