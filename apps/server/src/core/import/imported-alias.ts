/** Port of reading aliases that another service has (`@kauke/alias-import`). */
import { type ImportFormat, type ImportFromServiceBody, importMessages } from "@kauke/contract";
import { AppError } from "../app-error.ts";

export interface ImportedAlias {
  row: number;
  /** The address as written; in Forward Email's DNS records it may lack the domain. */
  address: string;
  notes: string;
  active: boolean;
  destinations: readonly string[];
  isDeleted: boolean;
  /** Why the row can't be imported, as a sentence; `null` when its address can be read. */
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
  /** Reads a file of any format without `expected`. @throws AppError `invalid`, `too_large`, also in the rows */
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
  /** Maximum milliseconds for the request, including the response body. */
  totalMs: number;
}

export interface ServiceResponse {
  status: number;
  /** Number of pages according to the response header `X-Page-Count`; `null` without that header. */
  pageCount: number | null;
  /** Seconds that the service asks to wait (`Retry-After`, RFC 9110 §10.2.3); `null` without a number of seconds. */
  retryAfterSeconds: number | null;
  /** Response body; empty unless the status is 200. The caller must read it to its end or end the iterator. */
  body: AsyncIterable<Uint8Array>;
}

export interface ServiceFetch {
  /** Requests a page. @returns `refused` if its address must not be called, `failed` without a response in time */
  get(request: ServiceRequest): Promise<ServiceResponse | "refused" | "failed">;
}
