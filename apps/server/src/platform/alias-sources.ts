import { AliasImportError, type ForeignAliases, openService, readImport } from "@kauke/alias-import";
import { AppError, fieldError } from "../core/app-error.ts";
import type { AliasSources, ImportSource } from "../core/import/imported-alias.ts";

export const aliasSources: AliasSources = {
  async readFile(file, expected) {
    try {
      return translated(await readImport(file, expected));
    } catch (thrown) {
      throw appErrorOf(thrown);
    }
  },
  openService(input, reading) {
    try {
      return translated(openService(input, reading));
    } catch (thrown) {
      throw appErrorOf(thrown);
    }
  },
};

function translated({ format, rows }: ForeignAliases): ImportSource {
  async function* read(): ImportSource["rows"] {
    try {
      yield* rows;
    } catch (thrown) {
      throw appErrorOf(thrown);
    }
  }
  return { format, rows: read() };
}

/** Turns errors of the import into AppErrors; others, such as an upload that broke off, stay as they are. */
function appErrorOf(thrown: unknown): unknown {
  if (!(thrown instanceof AliasImportError)) return thrown;
  const { reason, field, message } = thrown;
  return field === null ? new AppError(reason, { message }) : fieldError(field, message);
}
