/** Port of reading aliases that another service has (`@kauke/alias-import`): from a file of it, or from its API. */
import { type ImportFormat, type ImportFromServiceBody, importMessages } from "@kauke/contract";
import { AppError } from "../app-error.ts";
import type { ServiceFetch } from "./service-fetch.ts";

export interface ImportedAlias {
  /** Position of the row in the file, from 1. */
  row: number;
  /** Address as the file spells it; in Forward Email's DNS records without a zone it may lack the domain. */
  address: string;
  notes: string;
  active: boolean;
  /** Mailboxes and webhook URLs as the file spells them, unchecked; empty when the file names none. */
  destinations: readonly string[];
  /** Whether the alias was deleted at the other service. */
  isDeleted: boolean;
  /** Reason, as a sentence, why the row can't be imported; `null` when its address can be read. */
  problem: string | null;
}

/** Format and rows of a file or service to import from. Rows are read as they are requested. */
export interface ImportSource {
  format: ImportFormat;
  rows: AsyncIterable<ImportedAlias>;
}

export interface ServiceReading {
  serviceFetch: ServiceFetch;
  /** Current monotonic time in milliseconds. */
  now(): number;
}

export interface AliasSources {
  /**
   * Detects the format of a file and reads it.
   * @param expected format that the user chose; any format is accepted if absent
   * @throws AppError `invalid`, `too_large`; also while the rows are read
   */
  readFile(file: AsyncIterable<Uint8Array>, expected?: ImportFormat): Promise<ImportSource>;
  /**
   * Reads a user's aliases from the API of another service. The API key is neither stored nor logged.
   * @throws AppError `invalid`, `unavailable`, `too_large`; also while the rows are read
   */
  openService(
    input: Pick<ImportFromServiceBody, "service" | "baseUrl" | "apiKey">,
    reading: ServiceReading,
  ): ImportSource;
}

const notHere = () => new AppError("unavailable", { message: "Aliases of other services can't be imported here." });

/** Refuses every file and service. */
export const noAliasSources: AliasSources = {
  readFile: () => Promise.reject(notHere()),
  openService() {
    throw notHere();
  },
};

/**
 * Makes the error for a file that can't be read.
 * @param message sentence that quotes no content of the file
 */
export function unreadable(message: string): AppError {
  return new AppError("invalid", { message, errors: { file: [message] } });
}

export const importTooLarge = (): AppError => new AppError("too_large", { message: importMessages.tooLarge });
