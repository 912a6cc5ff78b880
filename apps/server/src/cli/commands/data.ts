import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { Config } from "../../settings/config.ts";
import { BackupError, restoreBackup } from "../../store/backup/backup.ts";
import { applyMigrations, type MigrationState, readMigrations } from "../../store/migrate.ts";
import { isListening } from "../control/control-client.ts";
import { controlPath, OperatorError } from "../control/control-protocol.ts";
import { explainLock } from "../control/operator-access.ts";
import { type Command, jsonText, print, refuse } from "./command.ts";

export const backup: Command = {
  usage: "backup <file>",
  about: "copies the embedded database and the queued mail while the server runs",
  options: { "with-secret-key": "also copies secret.key; anyone with the file can then read everything" },
  async run({ access, args: [file = ""], values }) {
    const withSecretKey = values["with-secret-key"] === true;
    const { bytes } = await (await access()).backup({ file: resolve(file), withSecretKey });
    // The server writes the file. Under systemd it has a private /tmp, which is deleted when it stops.
    if (!existsSync(file)) return refuse(`Only the server can see ${file}: name another folder.`, 1);
    if (values.json === true) return print(jsonText({ bytes, withSecretKey }));
    const key = withSecretKey
      ? "It contains the key."
      : "It does not contain the key (secret.key or KAUKE_SECRET_KEY): keep a copy of that too.";
    return print(`Written, ${bytes} bytes. ${key}\n`);
  },
};

export const restore: Command = {
  usage: "restore <file>",
  about: "unpacks a backup into a new data directory",
  options: { "data-dir <folder>": "the new data directory; it must not exist or be empty" },
  async run({ args: [file = ""], values }) {
    const folder = values["data-dir"];
    if (typeof folder !== "string" || folder === "") return refuse("Name the new data directory: --data-dir <folder>.");
    const { withSecretKey } = await restoreBackup(resolve(file), resolve(folder)).catch(throwOperatorError);
    if (values.json === true) return print(jsonText({ withSecretKey }));
    const key = withSecretKey
      ? ""
      : "Put the secret.key of the original server into it (mode 0600), or set KAUKE_SECRET_KEY. ";
    return print(`Restored. ${key}Then start the server with KAUKE_DATA_DIR set to this directory.\n`);
  },
};

function throwOperatorError(thrown: unknown): never {
  throw thrown instanceof BackupError ? new OperatorError(thrown.message, { cause: thrown }) : thrown;
}

export const migrateCommand: Command = {
  usage: "migrate",
  about: "applies missing migrations of the database's schema, and lists them",
  options: { check: "only lists them; exit code 1 when a migration is missing" },
  async run({ config: read, access, values }) {
    const config = read();
    const path = controlPath(config.dataDir);
    const isRunning = path !== null && (await isListening(path));
    const before = isRunning ? await (await access()).migrations({}) : await readMigrations(config).catch(explainLock);
    const isJson = values.json === true;
    if (values.check === true || before.pending.length === 0) {
      const code = before.pending.length === 0 ? 0 : 1;
      return print(isJson ? jsonText(before) : textOf(before), values.check === true ? code : 0);
    }
    if (isRunning) return refuse("A server of the older version is running. Stop it, then run this again.", 1);
    const after = await apply(config);
    return print(isJson ? jsonText(after) : textOf(after));
  },
};

async function apply(config: Config): Promise<MigrationState> {
  await applyMigrations(config).catch(explainLock);
  return await readMigrations(config).catch(explainLock);
}

function textOf({ applied, pending }: MigrationState): string {
  const lines = [
    ...applied.map(({ name, appliedAt }) => `applied  ${appliedAt.slice(0, 16).replace("T", " ")}  ${name}`),
    ...pending.map(({ name }) => `waiting  ${" ".repeat(16)}  ${name}`),
    pending.length === 0 ? "The schema is up to date." : `${pending.length} not applied yet.`,
  ];
  return `${lines.join("\n")}\n`;
}
