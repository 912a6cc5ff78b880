/** One HTTP request to the forwarding provider, made through the guard of addresses. */
export interface ProviderCall {
  method: "GET" | "POST" | "PUT" | "DELETE";
  url: URL;
  headers: Record<string, string>;
  body: Buffer | null;
}

export type ProviderCallResult =
  | {
      kind: "response";
      status: number;
      contentType: string;
      retryAfter: string | null;
      pageCount: string | null;
      body: Buffer;
    }
  /** The address is neither public nor allowed, or no connection came about: the provider has seen nothing. */
  | { kind: "unsent" }
  /** Sent, at least in part, without a whole response in time: may have been carried out, or may be yet. */
  | { kind: "lost"; isTimeout: boolean };

/** Follows no redirects; reads at most `bounds.providerCalls.responseBytes`. */
export type CallProvider = (call: ProviderCall, signal: AbortSignal) => Promise<ProviderCallResult>;
