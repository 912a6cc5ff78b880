/**
 * Requests to the issuer of federated sign-in, in the form that `openid-client` takes in place of the platform's `fetch`,
 * which buffers a response chunk by chunk. A response is read whole, up to a limit; redirects are not followed.
 */
import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import type { CustomFetch } from "openid-client";
import { collectStream } from "../runtime/streams/collect-stream.ts";

/** Maximum bytes of a response: metadata, keys, tokens and claims have some kilobytes each. */
const ANSWER_MAX_BYTES = 1024 * 1024;
/** Statuses whose response has no body. */
const EMPTY = [204, 205, 304];

/**
 * No response arrived, or not a whole one within the limits. A TypeError, as of the platform's `fetch`, because
 * `openid-client` passes no other error on unchanged.
 */
export class NoResponse extends TypeError {
  override name = "NoResponse";
}

/** @throws NoResponse; the reason of the signal when it has aborted */
export const boundedFetch: CustomFetch = async (url, { method, headers, body, signal }) => {
  const isSecure = new URL(url).protocol === "https:";
  const text = body === undefined || body === null ? "" : String(body as string | URLSearchParams);
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const call = (isSecure ? requestHttps : requestHttp)(url, {
      method,
      headers,
      agent: false,
      ...(signal && { signal }),
    });
    call.on("response", resolve);
    call.on("error", () => reject(noResponse(signal)));
    call.end(text);
  });
  const chunks = await collectStream(response, ANSWER_MAX_BYTES);
  if (chunks === null) throw noResponse(signal);
  const status = response.statusCode ?? 0;
  const fields = Object.entries(response.headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  );
  return new Response(EMPTY.includes(status) ? null : Buffer.concat(chunks), { status, headers: fields });
};

const noResponse = (signal: AbortSignal | undefined): unknown =>
  signal?.aborted === true ? signal.reason : new NoResponse();
