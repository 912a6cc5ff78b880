/** Input and result types of route handlers, from the contract: a wrong response or missing handler fails tsc. */
import type { Body, EndpointName, endpoints, Params, Query, ResponseOf } from "@kauke/contract";
import type { KeyCaller } from "../core/api-key.ts";

export interface Call<N extends EndpointName> {
  params: Params<N>;
  query: Query<N>;
  body: Body<N>;
  /** Chunks of a request body that is a file; `null` for calls that take no file. */
  bytes: AsyncIterable<Uint8Array> | null;
  /** Length of the body by its header; `null` when the client does not tell. */
  sizeBytes: number | null;
  userId: (typeof endpoints)[N]["access"] extends "user" ? string : undefined;
  key: Pick<KeyCaller, "keyId" | "scopes"> | null;
  clientAddress: string;
  device: string | null;
  cookie: CallCookie;
  browser: CallBrowser;
  /** Origin by which the client reached this server, e.g. `https://kauke.example`. */
  origin: string;
}

export interface CallCookie {
  token: string | null;
  write(token: string): void;
  clear(): void;
}

export interface CallBrowser {
  value: string | null;
  write(value: string): void;
}

/** A list in a download may be async pages, read while the client receives them. */
type Paged<T> = T extends readonly (infer Element)[]
  ? T | AsyncIterable<readonly Element[]>
  : T extends object
    ? { [Name in keyof T]: Paged<T[Name]> }
    : T;
type Given<N extends EndpointName> = (typeof endpoints)[N] extends { fileTypes: object }
  ? AsyncIterable<string>
  : PagedOrWhole<N>;
type PagedOrWhole<N extends EndpointName> = (typeof endpoints)[N] extends { savedAs: string }
  ? Paged<ResponseOf<N>>
  : ResponseOf<N>;

export type Handler<N extends EndpointName> = (call: Call<N>) => Promise<Given<N>>;
export type Handlers = { [N in EndpointName]: Handler<N> };
