/** A copy of the embedded store while the server runs, and its way back. */
import { resolve } from "node:path";
import { BackupError, restoreBackup } from "../../store/backup/backup.ts";
import { OperatorError } from "../control/operator-error.ts";
import { type Command, jsonText, print, refuse } from "./command.ts";

export const backup: Command = {
  usage: "backup <file>",
  about: "a copy of the embedded database, the queue and its mail, while the server runs",
  options: { "with-secret-key": "also copies secret.key: then whoever has the file reads everything" },
  async run({ access, args: [file = ""], values }) {
    const withSecretKey = values["with-secret-key"] === true;
    const { bytes } = await (await access()).backup({ file: resolve(file), withSecretKey });
    if (values.json === true) return print(jsonText({ bytes, withSecretKey }));
    const key = withSecretKey
      ? "The key is in it."
      : "The key (secret.key or KAUKE_SECRET_KEY) is not in it: keep that too.";
    return print(`Written, ${bytes} bytes. ${key}\n`);
  },
};

export const restore: Command = {
  usage: "restore <file>",
  about: "unpacks a backup into a new data directory",
  options: { "data-dir <folder>": "where to; it must not be there yet, or be empty" },
  async run({ args: [file = ""], values }) {
    const folder = values["data-dir"];
    if (typeof folder !== "string" || folder === "") return refuse("Say where to: --data-dir <folder>.");
    const { withSecretKey } = await restoreBackup(resolve(file), resolve(folder)).catch(inWords);
    if (values.json === true) return print(jsonText({ withSecretKey }));
    const key = withSecretKey ? "" : "Put the secret.key of that server into it (mode 0600), or set KAUKE_SECRET_KEY. ";
    return print(`Restored. ${key}Then start with KAUKE_DATA_DIR set to it.\n`);
  },
};

function inWords(thrown: unknown): never {
  throw thrown instanceof BackupError ? new OperatorError(thrown.message, { cause: thrown }) : thrown;
}
