import { sql } from "kysely";
import type { MailProbe, MailProbeStore, ProbeKey } from "../../core/probe/probe.ts";
import { bounds } from "../../limits/table.ts";
import type { StoreContext } from "../store-context.ts";

type ProbeDocument = Omit<MailProbe, "id" | "startedAt" | "expiresAt">;

interface ProbeRow {
  id: string;
  created_at: Date;
  expires_at: Date;
  sealed: Buffer;
}

const { open: OPEN_MAX, messages: MESSAGES_MAX } = bounds.mailProbes;

export function mailProbeStore({ db, keys, clock }: StoreContext): MailProbeStore {
  const indexOf = (address: string) => keys.blindIndex("mail_probe.address", address);
  const seal = ({ id, startedAt: _, expiresAt: __, ...document }: MailProbe) =>
    keys.seal("mail_probe", id, document satisfies ProbeDocument);
  const read = (row: ProbeRow | undefined): MailProbe | null => {
    if (row === undefined) return null;
    const { id, created_at: startedAt, expires_at: expiresAt, sealed } = row;
    return { id, startedAt, expiresAt, ...keys.open<ProbeDocument>("mail_probe", id, sealed) };
  };
  const open = () => db.selectFrom("mail_probe").where("expires_at", ">", clock.now());
  const isOf = (key: ProbeKey) =>
    "id" in key ? sql<boolean>`id = ${key.id}::uuid` : sql<boolean>`address_index = ${indexOf(key.address)}`;
  return {
    start: async (probe) => {
      const { id, address, startedAt, expiresAt } = probe;
      const times = { created_at: startedAt, expires_at: expiresAt };
      const row = { id, address_index: indexOf(address), ...times, messages: 0, sealed: seal(probe) };
      await db.transaction().execute(async (trx) => {
        await trx.insertInto("mail_probe").values(row).execute();
        const newest = trx
          .selectFrom("mail_probe")
          .select("id")
          .orderBy("created_at", "desc")
          .orderBy("id")
          .limit(OPEN_MAX);
        await trx.deleteFrom("mail_probe").where("id", "not in", newest).where("id", "<>", id).execute();
      });
    },
    resolve: async (address) => {
      const row = await open()
        .select("id")
        .where("address_index", "=", indexOf(address))
        .where("messages", "<", MESSAGES_MAX)
        .executeTakeFirst();
      return row?.id ?? null;
    },
    takeMessage: async (id) =>
      read(
        await db
          .updateTable("mail_probe")
          .set((row) => ({ messages: row("messages", "+", 1) }))
          .where("id", "=", id)
          .where("messages", "<", MESSAGES_MAX)
          .returning(["id", "created_at", "expires_at", "sealed"])
          .executeTakeFirst(),
      ),
    find: async (id) => read(await open().selectAll().where("id", "=", id).executeTakeFirst()),
    newest: async () => read(await open().selectAll().orderBy("created_at", "desc").orderBy("id").executeTakeFirst()),
    change: (key, change) =>
      db.transaction().execute(async (trx) => {
        const row = await trx.selectFrom("mail_probe").selectAll().where(isOf(key)).forUpdate().executeTakeFirst();
        const before = read(row);
        if (before === null) return null;
        const after = change(before);
        if (after === before) return before;
        await trx
          .updateTable("mail_probe")
          .set({ sealed: seal(after) })
          .where("id", "=", before.id)
          .execute();
        return after;
      }),
    deleteExpired: async (now) => {
      const result = await db.deleteFrom("mail_probe").where("expires_at", "<=", now).executeTakeFirst();
      return Number(result.numDeletedRows);
    },
  };
}
