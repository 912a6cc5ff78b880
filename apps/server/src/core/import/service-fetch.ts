/**
 * Port for HTTP requests to other services' APIs. The adapter refuses the same network addresses as for webhooks and
 * follows no redirects.
 */

export interface ServiceRequest {
  url: URL;
  headers: Readonly<Record<string, string>>;
  /** Milliseconds for the whole request, including the response body. */
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
  /**
   * Sends a GET request.
   * @returns `refused` when the address must not be called, `failed` when no response arrived in time
   */
  get(request: ServiceRequest): Promise<ServiceResponse | "refused" | "failed">;
}
