/** Mail to postmaster@ and abuse@, sealed for `kauke doctor`; at a cap, the oldest of the biggest network goes. */

import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { AppError, asAppError } from "../../core/app-error.ts";
import type { DeliveryTarget, MessageToEnqueue } from "../../core/delivery/delivery.ts";
import type { MessageEnvelope } from "../../core/message/message.ts";
import { chooseEvicted } from "../../limits/bytes.ts";
import { bounds } from "../../limits/table.ts";
import type { Database, InTransaction } from "../database.ts";
import { type NetworkIndexes, networkIndexes } from "../rows/sign-in/anonymous-tokens.ts";
import type { ServerKeys } from "../sealing/server-keys.ts";
import type { StoreContext } from "../store-context.ts";

const unreadableEnvelope = {
  envelopeFrom: "",
  helo: "",
  clientAddress: "",
  protocol: "SMTP" as const,
  eightBit: false,
  smtpUtf8: false,
};
/** Key of the advisory lock that keeps two processes from exceeding the cap together. */
const KEPT_LOCK = 7_205_520;

export interface KeptMessage {
  messageId: string;
  address: string;
  envelope: MessageEnvelope;
  sizeBytes: number;
  createdAt: Date;
}

interface MessageParts {
  insertMessage(trx: InTransaction, keys: ServerKeys, message: MessageToEnqueue): Promise<void>;
  envelopeOf(keys: ServerKeys, messageId: string, sealed: Buffer): MessageEnvelope;
  forgetBodies(messageIds: readonly string[]): Promise<void>;
}

export function keptMessages({ db, keys }: StoreContext, { insertMessage, envelopeOf, forgetBodies }: MessageParts) {
  const open = (row: KeptRow): KeptMessage => {
    const { message_id: messageId, size_bytes: sizeBytes, created_at: createdAt } = row;
    const plain = { messageId, sizeBytes, createdAt };
    try {
      const address = keys.open<DeliveryTarget>("delivery", row.id, row.sealed).aliasAddress;
      return { ...plain, address, envelope: envelopeOf(keys, messageId, row.envelope) };
    } catch {
      // Unreadable mail is listed too, so that the operator can delete it.
      return { ...plain, address: "unreadable", envelope: { ...unreadableEnvelope, receivedAt: createdAt } };
    }
  };
  return {
    keepForOperator: (message: MessageToEnqueue, address: string) =>
      orSpoolFailed(async () => {
        const gone = await db.transaction().execute(async (trx) => {
          await sql`SELECT pg_advisory_xact_lock(${sql.lit(KEPT_LOCK)})`.execute(trx);
          const indexes = networkIndexes(keys, message.envelope.clientAddress);
          const leaving = await makeRoom(trx, { sizeBytes: message.sizeBytes, ...indexes });
          await insertMessage(trx, keys, message);
          await insertKept(trx, keys, { message, address, indexes });
          return leaving;
        });
        await forgetBodies(gone);
      }),
    countKeptForOperator: async () => (await measureKept(db)).count,
    listKeptForOperator: async (): Promise<KeptMessage[]> => (await readKeptRows(db)).map(open),
    deleteKeptForOperator: async (messageId: string) => {
      const result = await db
        .deleteFrom("message")
        .where("id", "in", keptRows(db).select("message.id").where("message.id", "=", messageId))
        .executeTakeFirst();
      return result.numDeletedRows > 0n;
    },
    deleteKeptBefore: async (createdBefore: Date): Promise<number> => {
      const rows = await db
        .deleteFrom("message")
        .where("id", "in", keptRows(db).select("message.id").where("delivery.created_at", "<", createdBefore))
        .returning("id")
        .execute();
      await forgetBodies(rows.map(({ id }) => id));
      return rows.length;
    },
  };
}

export function fitsOperatorCap(kept: { count: number; bytes: number }, sizeBytes: number): boolean {
  return kept.count < bounds.operatorMail.messages && kept.bytes + sizeBytes <= bounds.operatorMail.bytes;
}

function keptRows(db: Database) {
  return db
    .selectFrom("delivery")
    .innerJoin("message", "message.id", "delivery.message_id")
    .where("delivery.state", "=", "kept");
}

type KeptRow = Awaited<ReturnType<typeof readKeptRows>>[number];

function readKeptRows(db: Database) {
  return keptRows(db)
    .select(["delivery.id", "delivery.sealed", "message.id as message_id", "message.sealed as envelope"])
    .select(["message.size_bytes", "message.created_at"])
    .orderBy("message.created_at")
    .execute();
}

async function measureKept(db: Database): Promise<{ count: number; bytes: number }> {
  return await keptRows(db)
    .select((row) => row.fn.countAll<number>().as("count"))
    .select(sql<number>`coalesce(sum(message.size_bytes), 0)::bigint`.as("bytes"))
    .executeTakeFirstOrThrow();
}

/** Makes room for a new message to the operator. @returns evicted ids @throws AppError `spool_quota` if it can't */
async function makeRoom(
  trx: InTransaction,
  newcomer: { sizeBytes: number } & NetworkIndexes,
): Promise<readonly string[]> {
  if (fitsOperatorCap(await measureKept(trx), newcomer.sizeBytes)) return [];
  const rows = await keptRows(trx)
    .select(["message.id", "message.size_bytes", "delivery.network_index", "delivery.block_index"])
    .orderBy("message.created_at")
    .execute();
  const kept = [...rows.map((row) => ({ ...row, sizeBytes: row.size_bytes })), { id: null, ...newcomer }];
  const leaving = chooseEvicted(
    kept.map(({ id, sizeBytes, network_index, block_index }) => ({
      id,
      sizeBytes,
      network: network_index?.toString("hex") ?? "",
      block: block_index?.toString("hex") ?? "",
    })),
  );
  const ids = leaving.filter((id) => id !== null);
  if (ids.length < leaving.length) throw new AppError("spool_quota");
  await trx.deleteFrom("message").where("id", "in", ids).execute();
  return ids;
}

async function insertKept(
  trx: InTransaction,
  keys: ServerKeys,
  { message, address, indexes }: { message: MessageToEnqueue; address: string; indexes: NetworkIndexes },
): Promise<void> {
  const id = randomUUID();
  const target: DeliveryTarget = { destination: { kind: "mailbox", address }, aliasAddress: address };
  const times = { not_before: message.createdAt, created_at: message.createdAt };
  await trx
    .insertInto("delivery")
    .values({
      id,
      message_id: message.id,
      state: "kept",
      ...times,
      ...indexes,
      sealed: keys.seal("delivery", id, target),
    })
    .execute();
}

async function orSpoolFailed(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (cause) {
    throw asAppError(cause) ?? new AppError("spool_failed", {}, cause);
  }
}
