/**
 * Looks up which destinations took a message before it was answered 451 (`taken-fingerprints.ts`). Hashes on demand.
 */
import { createHash } from "node:crypto";
import { firstValue, readHeader } from "@kauke/mail-rfc";
import type { PlannedDelivery } from "./delivery-plan.ts";
import type { TakenFingerprints } from "./taken-fingerprints.ts";

export interface TakenLedger {
  has(planned: PlannedDelivery): boolean;
  remember(planned: PlannedDelivery): void;
  /** Hashes the message now, so that its bytes may be dropped. */
  read(): void;
}

export function takenLedger(received: Buffer, fingerprints: TakenFingerprints): TakenLedger {
  let wire: Buffer | null = received;
  let message: { origin: string; bodyHash: Buffer } | null = null;

  function read(): { origin: string; bodyHash: Buffer } {
    message ??= readMessage(wire ?? Buffer.alloc(0));
    wire = null;
    return message;
  }

  function fingerprint({ target }: PlannedDelivery): string {
    const { origin, bodyHash } = read();
    const { destination } = target;
    const where = destination.kind === "mailbox" ? destination.address : destination.url;
    return fingerprints.make(origin, bodyHash, `${target.aliasAddress}\0${where}`);
  }

  return {
    has: (planned) => !fingerprints.isEmpty && fingerprints.has(fingerprint(planned)),
    remember: (planned) => fingerprints.add(fingerprint(planned)),
    read: () => void read(),
  };
}

const originFields = ["message-id", "date", "from", "subject"] as const;

/**
 * Hashes the body and reads the header fields that the author wrote. Trace fields are left out because they may differ
 * in a retry; Message-ID alone is not enough because some programs write none, and their messages may have the same
 * body.
 */
function readMessage(wire: Buffer): { origin: string; bodyHash: Buffer } {
  const { fields, end } = readHeader(wire);
  return {
    origin: originFields.map((name) => firstValue(wire, fields, name) ?? "").join("\0"),
    bodyHash: createHash("sha256").update(wire.subarray(end)).digest(),
  };
}
