import { existsSync, lstatSync, readdirSync } from "node:fs";
import { rm, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { lockDirectory } from "../../store/embedded/embedded-database.ts";
import { isListening } from "../control/control-client.ts";
import { controlPath, OperatorError } from "../control/control-protocol.ts";
import { explainLock } from "../control/operator-access.ts";
import { type Command, jsonText, print, refuse } from "./command.ts";

export const erase: Command = {
  usage: "erase",
  about: "deletes the data directory with all mail, accounts and the secret key, for good",
  options: { yes: "confirms the deletion" },
  async run({ config: read, values }) {
    const { dataDir, databaseUrl } = read();
    const entries = entriesOf(dataDir);
    const path = controlPath(dataDir);
    if (path !== null && (await isListening(path)))
      return refuse("A server is running on this directory. Stop it, then run this again.", 1);
    const elsewhere = databaseUrl === null ? "" : " The PostgreSQL database is not touched.";
    if (values.yes !== true)
      return refuse(
        `This deletes ${dataDir} (${entries.join(", ")}), for good.${elsewhere} Nothing but a backup brings it back, and only together with its key. Add --yes to confirm.`,
      );
    await deleteEntries(dataDir, entries);
    if (values.json === true) return print(jsonText({ dataDir, deleted: entries }));
    return print(`Deleted: ${entries.map((name) => join(dataDir, name)).join(", ")}.${elsewhere}\n`);
  },
};

/** Names in the data directory, the secret key first. @throws OperatorError when it is not a data directory */
function entriesOf(dataDir: string): string[] {
  const found = lstatSync(dataDir, { throwIfNoEntry: false });
  if (found === undefined) throw new OperatorError(`There is no data directory ${dataDir}.`);
  const has = (name: string) => existsSync(join(dataDir, name));
  const isOurs = found.isDirectory() && ((has("process.lock") && has("db")) || has("self-signed.pem"));
  if (!isOurs) throw new OperatorError(`${dataDir} is no data directory of Kauke, so nothing is deleted.`);
  return readdirSync(dataDir).toSorted((a, b) => Number(b.startsWith("secret")) - Number(a.startsWith("secret")));
}

/** Holds the directory's lock, so that no server starts during the deletion. */
async function deleteEntries(dataDir: string, entries: readonly string[]): Promise<void> {
  const lock = lockOrExplain(dataDir);
  try {
    for (const name of entries) await rm(join(dataDir, name), { recursive: true, force: true });
  } finally {
    lock.release();
  }
  // SQLite, which makes the lock, may leave its journal. A directory that a package made, or a mount, stays empty.
  await rm(join(dataDir, "process.lock-journal"), { force: true });
  await rmdir(dataDir).catch(() => {});
}

function lockOrExplain(dataDir: string) {
  try {
    return lockDirectory(dataDir);
  } catch (thrown) {
    return explainLock(thrown);
  }
}
