/** What a route handler gets and gives. The types come from the contract, so a wrong answer or a missing call fails tsc. */
import type { Answer, Body, EndpointName, endpoints, Params } from "@kauke/contract";

export interface Call<N extends EndpointName> {
  /** Ids are well-formed; a `userId` is the signed-in one's. */
  params: Params<N>;
  body: Body<N>;
  /** Who is signed in; nobody for calls that are open to anyone. */
  userId: (typeof endpoints)[N]["access"] extends "user" ? string : undefined;
  /** For limits only, see `client-address.ts`. */
  clientAddress: string;
  /** Of the browser that calls, see `device-name.ts`. */
  device: string | null;
  cookie: CallCookie;
  browser: CallBrowser;
  /** Where this person sees us, e.g. `https://kauke.example`. */
  origin: string;
}

/** The session cookie of this one call. */
export interface CallCookie {
  token: string | null;
  write(token: string): void;
  clear(): void;
}

/** The cookie by which a browser that has signed in before is known, of this one call. */
export interface CallBrowser {
  value: string | null;
  write(value: string): void;
}

/** A file to keep may hold its lists as pages that are read while the client takes it. */
type Paged<T> = T extends readonly (infer Element)[]
  ? T | AsyncIterable<readonly Element[]>
  : T extends object
    ? { [Name in keyof T]: Paged<T[Name]> }
    : T;
type Given<N extends EndpointName> = (typeof endpoints)[N] extends { savedAs: string } ? Paged<Answer<N>> : Answer<N>;

export type Handler<N extends EndpointName> = (call: Call<N>) => Promise<Given<N>>;
export type Handlers = { [N in EndpointName]: Handler<N> };
/** The handlers of one resource. */
export type HandlersOf<N extends EndpointName> = Pick<Handlers, N>;
