/**
 * Input and result of route handlers. The types come from the contract, so a wrong response or a missing handler fails
 * tsc.
 */
import type { Body, EndpointName, endpoints, Params, Query, ResponseOf } from "@kauke/contract";
import type { KeyCaller } from "../core/api-key.ts";

export interface Call<N extends EndpointName> {
  /** Every id has been validated, and a `userId` is that of the signed-in user. */
  params: Params<N>;
  query: Query<N>;
  body: Body<N>;
  /** Of a request body that is a file, as they arrive; `null` for calls that take no file. */
  bytes: AsyncIterable<Uint8Array> | null;
  /** Undefined for calls that need no session. */
  userId: (typeof endpoints)[N]["access"] extends "user" ? string : undefined;
  /** `null` if the call is made by a login session or without authentication. */
  key: Pick<KeyCaller, "keyId" | "scopes"> | null;
  /** Network of the client (an IPv4 address or IPv6 /64), for rate limits only. */
  clientAddress: string;
  /** Browser and system of the client; `null` when unknown. */
  device: string | null;
  cookie: CallCookie;
  browser: CallBrowser;
  /** By which the client reached this server, e.g. `https://kauke.example`. */
  origin: string;
}

/** The session cookie of a request and its response. */
export interface CallCookie {
  token: string | null;
  write(token: string): void;
  clear(): void;
}

/** The cookie of a browser that has signed in before. */
export interface CallBrowser {
  value: string | null;
  write(value: string): void;
}

/** Arrays of a download may be async pages that are read while the client receives them. */
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
