import type { Selectable } from "kysely";
import type { MailProbe, MailProbeStore, ProbeKey } from "../../core/probe/probe.ts";
import { bounds } from "../../limits/table.ts";
import type { MailProbeTable } from "../database.ts";
import type { StoreContext } from "../store-context.ts";

type ProbeDocument = Omit<MailProbe, "id" | "startedAt" | "expiresAt">;
type ProbeRow = Pick<Selectable<MailProbeTable>, "id" | "created_at" | "expires_at" | "sealed">;
type Keys = StoreContext["keys"];

const { open: OPEN_MAX, messages: MESSAGES_MAX } = bounds.mailProbes;

export function mailProbeStore(context: Pick<StoreContext, "db" | "keys" | "clock">): MailProbeStore {
  const { db, keys, clock } = context;
  const open = () => db.selectFrom("mail_probe").where("expires_at", ">", clock.now());
  return {
    start: (probe) => start(context, probe),
    resolve: async (address) => {
      const mine = open().select("id").where("address_index", "=", indexOf(keys, address));
      return (await mine.where("messages", "<", MESSAGES_MAX).executeTakeFirst())?.id ?? null;
    },
    takeMessage: async (id) => {
      const count = db.updateTable("mail_probe").set((row) => ({ messages: row("messages", "+", 1) }));
      const mine = count.where("id", "=", id).where("messages", "<", MESSAGES_MAX).returningAll();
      return read(keys, await mine.executeTakeFirst());
    },
    find: async (id) => read(keys, await open().selectAll().where("id", "=", id).executeTakeFirst()),
    newest: async () => {
      const newestFirst = open().selectAll().orderBy("created_at", "desc").orderBy("id");
      return read(keys, await newestFirst.executeTakeFirst());
    },
    change: (key, change) => changeOne(context, key, change),
    deleteExpired: async (now) => {
      const result = await db.deleteFrom("mail_probe").where("expires_at", "<=", now).executeTakeFirst();
      return Number(result.numDeletedRows);
    },
  };
}

async function start({ db, keys }: Pick<StoreContext, "db" | "keys">, probe: MailProbe): Promise<void> {
  const { id, address, startedAt, expiresAt } = probe;
  const times = { created_at: startedAt, expires_at: expiresAt };
  const row = { id, address_index: indexOf(keys, address), ...times, messages: 0, sealed: seal(keys, probe) };
  await db.transaction().execute(async (trx) => {
    await trx.insertInto("mail_probe").values(row).execute();
    const newestFirst = trx.selectFrom("mail_probe").select("id").orderBy("created_at", "desc").orderBy("id");
    const others = trx.deleteFrom("mail_probe").where("id", "<>", id);
    // One from before the clock was set back would pass for the newest.
    await others
      .where(({ eb, or }) => or([eb("id", "not in", newestFirst.limit(OPEN_MAX)), eb("created_at", ">", startedAt)]))
      .execute();
  });
}

function changeOne(
  { db, keys }: Pick<StoreContext, "db" | "keys">,
  key: ProbeKey,
  change: (probe: MailProbe) => MailProbe,
): Promise<MailProbe | null> {
  return db.transaction().execute(async (trx) => {
    const rows = trx.selectFrom("mail_probe").selectAll().forUpdate();
    const mine =
      "id" in key ? rows.where("id", "=", key.id) : rows.where("address_index", "=", indexOf(keys, key.address));
    const before = read(keys, await mine.executeTakeFirst());
    if (before === null) return null;
    const after = change(before);
    if (after !== before)
      await trx
        .updateTable("mail_probe")
        .set({ sealed: seal(keys, after) })
        .where("id", "=", before.id)
        .execute();
    return after;
  });
}

const indexOf = (keys: Keys, address: string) => keys.blindIndex("mail_probe.address", address);

function seal(keys: Keys, { id, ...probe }: MailProbe): Buffer {
  const { address, answerId, arrived, answer, answerProblem, returned, ours, inSpam } = probe;
  const found = { arrived, answer, answerProblem, returned, ours, inSpam };
  return keys.seal("mail_probe", id, { address, answerId, ...found } satisfies ProbeDocument);
}

function read(keys: Keys, row: ProbeRow | undefined): MailProbe | null {
  if (row === undefined) return null;
  const { id, created_at: startedAt, expires_at: expiresAt, sealed } = row;
  return { id, startedAt, expiresAt, ...keys.open<ProbeDocument>("mail_probe", id, sealed) };
}
