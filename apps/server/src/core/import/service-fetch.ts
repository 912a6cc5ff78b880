/** Port for reads from other services' APIs. The adapter checks addresses as for webhooks and follows no redirects. */

export interface ServiceRequest {
  url: URL;
  headers: Readonly<Record<string, string>>;
  /** Milliseconds for the whole request with its body. */
  totalMs: number;
}

export interface ServiceAnswer {
  status: number;
  /** Number of pages by the header `X-Page-Count`; `null` without one. */
  pageCount: number | null;
  /** The body; empty unless the status is 200. It must be read to its end or returned. */
  body: AsyncIterable<Uint8Array>;
}

export interface ServiceFetch {
  /**
   * @returns `refused` when the address must not be called, `failed` when there was no answer in time
   */
  get(request: ServiceRequest): Promise<ServiceAnswer | "refused" | "failed">;
}
