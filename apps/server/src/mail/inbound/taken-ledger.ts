/** Which destinations took a message in an earlier try that ended in 451; see `taken-fingerprints.ts`. Hashes only when needed. */
import { createHash } from "node:crypto";
import { firstValue, readHeader } from "@kauke/mail-rfc";
import type { PlannedDelivery } from "./plan-deliveries.ts";
import type { TakenFingerprints } from "./taken-fingerprints.ts";

export interface TakenLedger {
  has(planned: PlannedDelivery): boolean;
  remember(planned: PlannedDelivery): void;
}

export function takenLedger(wire: Buffer, fingerprints: TakenFingerprints): TakenLedger {
  let message: { origin: string; bodyHash: Buffer } | null = null;

  function fingerprint({ target }: PlannedDelivery): string {
    message ??= readMessage(wire);
    const { destination } = target;
    const where = destination.kind === "mailbox" ? destination.address : destination.url;
    return fingerprints.make(message.origin, message.bodyHash, `${target.aliasAddress}\0${where}`);
  }

  return {
    has: (planned) => !fingerprints.isEmpty && fingerprints.has(fingerprint(planned)),
    remember: (planned) => fingerprints.add(fingerprint(planned)),
  };
}

const originFields = ["message-id", "date", "from", "subject"] as const;

/**
 * Body and what the author wrote above it: the retry may come with other trace fields, and two messages of a program that
 * writes no Message-ID may have the same body.
 */
function readMessage(wire: Buffer): { origin: string; bodyHash: Buffer } {
  const { fields, end } = readHeader(wire);
  return {
    origin: originFields.map((name) => firstValue(wire, fields, name) ?? "").join("\0"),
    bodyHash: createHash("sha256").update(wire.subarray(end)).digest(),
  };
}
