/** Commands that back up the embedded store while the server runs, and restore a backup. */
import { resolve } from "node:path";
import { BackupError, restoreBackup } from "../../store/backup/backup.ts";
import { OperatorError } from "../control/operator-error.ts";
import { type Command, jsonText, print, refuse } from "./command.ts";

export const backup: Command = {
  usage: "backup <file>",
  about: "copies the embedded database and the queued mail while the server runs",
  options: { "with-secret-key": "also copies secret.key; anyone with the file can then read everything" },
  async run({ access, args: [file = ""], values }) {
    const withSecretKey = values["with-secret-key"] === true;
    const { bytes } = await (await access()).backup({ file: resolve(file), withSecretKey });
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
