/** Moving all data between the embedded database and PostgreSQL. Neither the key nor a password is ever printed. */
import { join } from "node:path";
import type { Config } from "../../settings/config.ts";
import { withDatabase } from "../../store/migrate.ts";
import { dropDirectory, dropTables, forgetMove } from "../../store/move/leave.ts";
import { type Moved, type MoveStep, moveData } from "../../store/move/move-data.ts";
import { hasDatabase, type MoveEnd, openDirectory, openServer } from "../../store/move/move-ends.ts";
import { MoveError } from "../../store/move/move-error.ts";
import { isListening } from "../control/control-client.ts";
import { controlPath, OperatorError } from "../control/control-protocol.ts";
import { explainLock, refuseForeignDirectory } from "../control/operator-access.ts";
import { type Command, jsonText, print, refuse } from "./command.ts";

export const move: Command = {
  usage: "move <to>",
  about: "moves all data to postgres://…, or with DATABASE_URL set to `embedded`; no server may run",
  options: {},
  async run({ config: read, args: [to = ""], values }) {
    const config = read();
    const isServer = /^postgres(?:ql)?:\/\//.test(to);
    if (!isServer && to !== "embedded") return refuse("Name the target: postgres://user@host/database, or embedded.");
    if (isServer && config.databaseUrl !== null)
      return refuse("DATABASE_URL is set: the data is in PostgreSQL already. Between two of them, use its own tools.");
    if (!isServer && config.databaseUrl === null)
      return refuse("Set DATABASE_URL and KAUKE_SECRET_KEY to those of the server whose data is to be moved.");
    await refuseRunning(config);
    const report = values.json === true ? () => {} : printStep;
    const moved = await (isServer ? moveToServer(config, to, report) : moveToDirectory(config, report)).catch(explain);
    if (values.json === true) return print(jsonText(moved));
    return print(`${summary(moved)}\n${isServer ? nextOnServer(config) : nextInDirectory(config)}`);
  },
};

export const moveForget: Command = {
  usage: "move forget",
  about: "undoes `kauke move` on the side of the old data: servers may start on it again",
  options: { yes: "confirms it after a completed move" },
  async run({ config: read, values }) {
    const config = read();
    await refuseRunning(config);
    const mark = await withDatabase(config, (db) => forgetMove(db, values.yes === true)).catch(explain);
    return print(`Servers may start here again. What was copied to ${mark.place} stays there: empty it.\n`);
  },
};

export const moveDropOld: Command = {
  usage: "move drop-old",
  about: "deletes the data that a completed move left behind",
  options: {
    yes: "confirms the deletion",
    "from <database>": "the old PostgreSQL, postgres://…, instead of the old data directory",
  },
  async run({ config: read, values }) {
    const config = read();
    const { from } = values;
    if (values.yes !== true) return refuse("This deletes the old data for good. Add --yes to confirm.");
    if (typeof from === "string") {
      await withDatabase({ databaseUrl: from, dataDir: config.dataDir }, dropTables).catch(explain);
      return print("The old tables are deleted.\n");
    }
    if (config.databaseUrl === null) await refuseRunning(config);
    await dropDirectory(config.dataDir).catch(explain);
    const key = join(config.dataDir, "secret.key");
    return print(
      `The old data is deleted. The key stays: ${key}, if there is one. Copy it elsewhere before you delete it.\n`,
    );
  },
};

async function refuseRunning(config: Config): Promise<void> {
  const path = controlPath(config.dataDir);
  if (path !== null && (await isListening(path)))
    throw new OperatorError("A server is running. Stop it first, then run this again.");
  refuseForeignDirectory(config.dataDir);
}

type Report = (step: MoveStep) => void;

async function moveToServer(config: Config, databaseUrl: string, report: Report): Promise<Moved> {
  if (!hasDatabase(config.dataDir)) throw new MoveError(`There is no data in ${config.dataDir}.`);
  return await between(
    () => openDirectory(config),
    () => openServer(databaseUrl, null),
    report,
  );
}

function moveToDirectory(config: Config, report: Report): Promise<Moved> {
  return between(
    () => openServer(String(config.databaseUrl), config.secretKey),
    () => openDirectory(config),
    report,
  );
}

async function between(from: () => Promise<MoveEnd>, to: () => Promise<MoveEnd>, report: Report): Promise<Moved> {
  const source = await from();
  try {
    const target = await to();
    try {
      return await moveData({ source, target, report });
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

function explain(thrown: unknown): never {
  if (thrown instanceof MoveError) throw new OperatorError(thrown.message, { cause: thrown });
  return explainLock(thrown);
}

/** Rows between two progress lines for a large table. */
const LINE_ROWS = 100_000;
let printedRows = 0;

function printStep({ step, what, count, isEnd }: MoveStep): void {
  if (!isEnd && count - printedRows < LINE_ROWS) return;
  printedRows = isEnd ? 0 : count;
  print(`${step.padEnd(8)}  ${what}  ${count}${isEnd ? "" : " …"}\n`);
}

function summary({ rows, messages, unreadable, wasDone }: Moved): string {
  const moved = wasDone
    ? "Everything was moved by an earlier run."
    : `Moved and compared: ${rows} rows, and the bodies of ${messages} messages.`;
  if (unreadable === 0) return moved;
  return `${moved}\nNot moved: ${unreadable} damaged files of messages in flight. They stay in underway/ of the old data directory until drop-old.`;
}

function nextOnServer({ dataDir, secretKey }: Config): string {
  const key =
    secretKey === null
      ? `KAUKE_SECRET_KEY to the line in ${join(dataDir, "secret.key")}`
      : "KAUKE_SECRET_KEY stays as it is";
  return `Next: set DATABASE_URL to the address given here, ${key}, and start the server.\n${old}`;
}

const nextInDirectory = ({ dataDir }: Config) =>
  `Next: remove DATABASE_URL, leave KAUKE_SECRET_KEY and KAUKE_DATA_DIR (${dataDir}) as they are, and start the server.\n${old}`;

const old = "The old data stays, and no server starts on it, until `kauke move drop-old --yes`.\n";
