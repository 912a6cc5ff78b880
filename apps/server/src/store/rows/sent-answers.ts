/** Marks of answers that were sent: keyed hashes, each with the time at which it may be deleted. */
import type { AnswerMark, SentAnswerStore } from "../../core/reply-path.ts";
import type { Database, InTransaction } from "../database.ts";
import type { StoreContext } from "../store-context.ts";

export function sentAnswerStore({ db }: StoreContext): SentAnswerStore {
  return {
    listKnown: async (keys) => {
      if (keys.length === 0) return [];
      const rows = await db.selectFrom("sent_answer").select("mark").where("mark", "in", keys.map(bytesOf)).execute();
      return rows.map(({ mark }) => mark.toString("hex"));
    },
    remember: (userId, marks) => insertMarks(db, userId, marks),
    deleteEnded: async (now) => {
      const result = await db.deleteFrom("sent_answer").where("ends_at", "<=", now).executeTakeFirst();
      return Number(result.numDeletedRows);
    },
  };
}

/** @returns false when one of the marks was stored before */
export async function insertMarks(
  db: Pick<Database | InTransaction, "insertInto">,
  userId: string,
  marks: readonly AnswerMark[],
): Promise<boolean> {
  const keys = new Map(marks.map(({ key, endsAt }) => [key, endsAt]));
  if (keys.size === 0) return true;
  const result = await db
    .insertInto("sent_answer")
    .values([...keys].map(([key, endsAt]) => ({ mark: bytesOf(key), user_id: userId, ends_at: endsAt })))
    .onConflict((conflict) => conflict.column("mark").doNothing())
    .executeTakeFirst();
  return Number(result.numInsertedOrUpdatedRows) === keys.size;
}

const bytesOf = (key: string) => Buffer.from(key, "hex");
