/** Port for reading the aliases of another service (`@kauke/alias-import`). */
import { type ImportFormat, type ImportFromServiceBody, importMessages } from "@kauke/contract";
import { AppError } from "../app-error.ts";

export interface ImportedAlias {
  row: number;
  /** The address as written; Forward Email's DNS records may omit the domain. */
  address: string;
  notes: string;
  active: boolean;
  destinations: readonly string[];
  isDeleted: boolean;
  /** Why the row can't be imported, as a sentence; else `null`. */
  problem: string | null;
}

export interface ImportSource {
  format: ImportFormat;
  rows: AsyncIterable<ImportedAlias>;
}

export interface ServiceReading {
  serviceFetch: ServiceFetch;
  now(): number;
}

export interface AliasSources {
  /** Detects the format without `expected`. @throws AppError `invalid`, `too_large`, also while rows are read */
  readFile(file: AsyncIterable<Uint8Array>, expected?: ImportFormat): Promise<ImportSource>;
  /** The API key is not stored. @throws AppError `invalid`, `unavailable`, `too_large`; also while the rows are read */
  openService(
    input: Pick<ImportFromServiceBody, "service" | "baseUrl" | "apiKey">,
    reading: ServiceReading,
  ): ImportSource;
}

const notHere = () => new AppError("unavailable", { message: "Aliases of other services can't be imported here." });

export const noAliasSources: AliasSources = {
  readFile: () => Promise.reject(notHere()),
  openService() {
    throw notHere();
  },
};

/** @param message a sentence that quotes no content of the file */
export function unreadable(message: string): AppError {
  return new AppError("invalid", { message, errors: { file: [message] } });
}

export const importTooLarge = (): AppError => new AppError("too_large", { message: importMessages.tooLarge });

export interface ServiceRequest {
  url: URL;
  headers: Readonly<Record<string, string>>;
  totalMs: number;
}

export interface ServiceResponse {
  status: number;
  /** From the response field `X-Page-Count`; `null` without it. */
  pageCount: number | null;
  /** Seconds that the service asks to wait (`Retry-After`, RFC 9110 §10.2.3); `null` without a number of seconds. */
  retryAfterSeconds: number | null;
  /** Empty unless the status is 200. The caller must read it to its end or end the iterator. */
  body: AsyncIterable<Uint8Array>;
}

export interface ServiceFetch {
  /** @returns `refused` if the address must not be called, `failed` without a response in time */
  get(request: ServiceRequest): Promise<ServiceResponse | "refused" | "failed">;
}
