/** Rows of the client number tables in an account's export. */
import type { ExportedRow } from "../../../core/account-export.ts";
import type { Database } from "../../database.ts";

interface Source {
  db: Database;
  userId: string;
}

type Pages = AsyncGenerator<ExportedRow[]>;

const ROWS_AT_ONCE = 1000;
const withItem = "with its alias or mailbox, or with the account";

export const clientNumberTables = {
  client_number_last: {
    about: "The last of the numbers by which clients with whole numbers as ids name your aliases and mailboxes.",
    rows: lastNumbers,
  },
  alias_number: {
    about: "Numbers of aliases for clients with whole numbers as ids.",
    rows: (source: Source) => numbers(source, { table: "alias_number", id: "alias_id", shown: "aliasId" }),
  },
  mailbox_number: {
    about: "Numbers of mailboxes for clients with whole numbers as ids.",
    rows: (source: Source) => numbers(source, { table: "mailbox_number", id: "mailbox_id", shown: "mailboxId" }),
  },
};

async function* lastNumbers({ db, userId }: Source): Pages {
  const rows = await db.selectFrom("client_number_last").selectAll().where("user_id", "=", userId).execute();
  yield rows.map(({ user_id, kind, last }) => ({ userId: user_id, kind, last, deletionDate: "with the account" }));
}

async function* numbers(
  { db, userId }: Source,
  { table, id, shown }: { table: "alias_number" | "mailbox_number"; id: string; shown: string },
): Pages {
  for (let after = 0; ; ) {
    // Both number tables have the same columns except for the name of the id, so the type of one is used for both.
    const mine = db
      .selectFrom(table as "alias_number")
      .selectAll()
      .where("user_id", "=", userId);
    const rows = await mine.where("number", ">", after).orderBy("number").limit(ROWS_AT_ONCE).execute();
    yield rows.map((row) => {
      const item = (row as unknown as Record<string, string>)[id];
      return { [shown]: item, userId: row.user_id, number: row.number, deletionDate: withItem };
    });
    const last = rows.at(-1);
    if (last === undefined || rows.length < ROWS_AT_ONCE) return;
    after = last.number;
  }
}
