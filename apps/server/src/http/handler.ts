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
  /** Where this person sees us, e.g. `https://kauke.example`. */
  origin: string;
}

/** The session cookie of this one call. */
export interface CallCookie {
  token: string | null;
  write(token: string): void;
  clear(): void;
}

export type Handler<N extends EndpointName> = (call: Call<N>) => Promise<Answer<N>>;
export type Handlers = { [N in EndpointName]: Handler<N> };
/** The handlers of one resource. */
export type HandlersOf<N extends EndpointName> = Pick<Handlers, N>;
