/** Makes records of the spool's journal from messages by sealing them, and opens the sealed rows. */
import type { InFlightMessage } from "../../../core/delivery/in-flight.ts";
import type { KeyRing } from "../../sealing/server-keys.ts";
import { parseRows, rowsOf } from "../bodies/in-flight-rows.ts";
import { openChunks } from "../bodies/read-chunks.ts";
import { sealedChunkParts } from "../bodies/sealed-chunks.ts";
import { recordHeader } from "./segment-format.ts";
import type { RecordToAppend } from "./segments.ts";

/** Name under which a message's rows are sealed; it differs from the message's own, so the two can't be swapped. */
const rowsName = (messageId: string) => `underway-rows:${messageId}`;

export interface SealedRecord extends RecordToAppend {
  rowsBytes: number;
  bodyBytes: number;
}

export function bodyRecord(keys: KeyRing, messageId: string, parts: readonly Buffer[]): SealedRecord {
  return messageRecord({ kind: "body", messageId }, [], sealedChunkParts(keys, messageId, parts));
}

export function inFlightRecord(keys: KeyRing, { wire, ...entry }: InFlightMessage): SealedRecord {
  const messageId = entry.message.id;
  const rows = sealedChunkParts(keys, rowsName(messageId), [rowsOf(entry)]);
  return messageRecord({ kind: "inFlight", messageId }, rows, sealedChunkParts(keys, messageId, [wire]));
}

export function markRecord(keys: KeyRing, kind: "queued" | "done", messageId: string): RecordToAppend {
  const parts = [recordHeader({ kind, messageId, rowsBytes: 0, bodyBytes: 0 })];
  return { parts, isSynced: false, keyId: keys.sealingKeyId() };
}

/** Opens the sealed rows. @returns `null` if they are damaged, or another version wrote them in another format */
export function openRows(keys: KeyRing, messageId: string, rows: Buffer): Omit<InFlightMessage, "wire"> | null {
  const plain = openChunks(keys, rowsName(messageId), rows);
  return plain === null ? null : parseRows(plain);
}

function messageRecord(
  what: { kind: "body" | "inFlight"; messageId: string },
  rows: readonly Buffer[],
  body: readonly Buffer[],
): SealedRecord {
  const [rowsBytes, bodyBytes] = [sizeOf(rows), sizeOf(body)];
  const parts = [recordHeader({ ...what, rowsBytes, bodyBytes }), ...rows, ...body];
  // Every sealed value starts with the id of its key.
  return { parts, isSynced: true, keyId: ((rows[0] ?? body[0]) as Buffer).readUInt32BE(0), rowsBytes, bodyBytes };
}

const sizeOf = (parts: readonly Buffer[]) => parts.reduce((sum, part) => sum + part.length, 0);
