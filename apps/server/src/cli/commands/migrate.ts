/** Applies and lists migrations. A running server has applied its own at its start. */
import type { Config } from "../../settings/config.ts";
import { applyMigrations, type MigrationState, readMigrations } from "../../store/migrate.ts";
import { isAnswered } from "../control/control-client.ts";
import { controlPath } from "../control/control-protocol.ts";
import { explainLock } from "../control/operator-access.ts";
import { type Command, jsonText, print, refuse } from "./command.ts";

export const migrate: Command = {
  usage: "migrate",
  about: "applies missing migrations of the database's schema, and lists them",
  options: { check: "only lists them; exit code 1 when a migration is missing" },
  async run({ config: read, access, values }) {
    const config = read();
    const path = controlPath(config.dataDir);
    const isRunning = path !== null && (await isAnswered(path));
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
