import { randomUUID } from "node:crypto";
import type { CertificateRecords } from "../../core/certificate.ts";
import type { StoreContext } from "../store-context.ts";

const lease = { kind: "lease", name: "order" } as const;

export function certificateRecordStore({ db, keys }: Pick<StoreContext, "db" | "keys">): CertificateRecords {
  const seal = (id: string, value: unknown) => keys.seal("certificate_record", id, { value });
  const open = ({ id, sealed }: { id: string; sealed: Buffer }): unknown =>
    keys.open<{ value: unknown }>("certificate_record", id, sealed).value;
  const records = db.selectFrom("certificate_record").select(["id", "name", "sealed"]);
  return {
    read: async (kind, name) => {
      const row = await records.where("kind", "=", kind).where("name", "=", name).executeTakeFirst();
      return row === undefined ? null : open(row);
    },
    list: async (kind) => {
      const rows = await records.where("kind", "=", kind).orderBy("name").execute();
      return rows.map((row) => ({ name: row.name, value: open(row) }));
    },
    write: async ({ kind, name, value, expiresAt }) => {
      const id = randomUUID();
      const row = { id, kind, name, expires_at: expiresAt, sealed: seal(id, value) };
      // The id is replaced too, as the sealed value is bound to it.
      const { sealed, expires_at } = row;
      await db
        .insertInto("certificate_record")
        .values(row)
        .onConflict((same) => same.columns(["kind", "name"]).doUpdateSet({ id, sealed, expires_at }))
        .execute();
    },
    delete: async (kind, name) => {
      await db.deleteFrom("certificate_record").where("kind", "=", kind).where("name", "=", name).execute();
    },
    takeLease: async (until, now) => {
      const id = randomUUID();
      const taken = await db
        .insertInto("certificate_record")
        .values({ ...lease, id, expires_at: until, sealed: seal(id, null) })
        .onConflict((same) =>
          same
            .columns(["kind", "name"])
            .doUpdateSet({ id, expires_at: until, sealed: seal(id, null) })
            .where("certificate_record.expires_at", "<=", now),
        )
        .returning("id")
        .executeTakeFirst();
      return taken?.id ?? null;
    },
    releaseLease: async (id) => {
      await db.deleteFrom("certificate_record").where("id", "=", id).execute();
    },
    deleteExpired: async (now) => {
      const result = await db.deleteFrom("certificate_record").where("expires_at", "<=", now).executeTakeFirst();
      return Number(result.numDeletedRows);
    },
  };
}
