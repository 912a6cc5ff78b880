/** GET requests to other services' APIs. Addresses are refused as for webhooks; redirects are not followed. */

export interface ServiceRequest {
  url: URL;
  headers: Readonly<Record<string, string>>;
  /** Milliseconds for the request, the response body included. */
  totalMs: number;
}

export interface ServiceResponse {
  status: number;
  /** Number of pages by the header `X-Page-Count`; `null` without it. */
  pageCount: number | null;
  /** `Retry-After` (RFC 9110 §10.2.3); `null` without a number of seconds. */
  retryAfterSeconds: number | null;
  /** Empty unless the status is 200. The caller must read it to its end or end the iterator. */
  body: AsyncIterable<Uint8Array>;
}

export interface ServiceFetch {
  /** `refused` when the address must not be called, `failed` when no response arrived in time. */
  get(request: ServiceRequest): Promise<ServiceResponse | "refused" | "failed">;
}
