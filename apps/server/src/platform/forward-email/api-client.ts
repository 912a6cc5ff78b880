/** Calls of the provider's REST API. Its texts are never passed on; what it answers is one of a closed set. */
import type { ProviderProblem } from "@kauke/contract";
import type { CallProvider, ProviderCall, ProviderCallResult } from "../../core/forwarding/call-provider.ts";
import { type Clock, systemClock } from "../../runtime/ports.ts";

export interface ApiRequest {
  method: ProviderCall["method"];
  /** From `/v1` on, e.g. `/v1/domains`; parts of it are escaped by the caller. */
  path: string;
  body?: object;
}

export type ApiResponse =
  /** 2xx, 400 or 404. */
  | { kind: "response"; status: number; json: unknown; pageCount: number | null }
  /** `isUncertain`: the provider may have carried a change out, or may do so yet. */
  | { kind: "failed"; problem: ProviderProblem; retryAfterSeconds: number | null; isUncertain: boolean };

export type CallApi = (request: ApiRequest, signal: AbortSignal) => Promise<ApiResponse>;

interface ClientSettings {
  url: URL;
  /** User name of the Basic authentication, with an empty password. */
  key: string;
  clock?: Pick<Clock, "now">;
}

export function apiClient(call: CallProvider, { url, key, clock = systemClock }: ClientSettings): CallApi {
  const authorization = `Basic ${Buffer.from(`${key}:`).toString("base64")}`;
  return async ({ method, path, body }, signal) => {
    const headers = {
      authorization,
      accept: "application/json",
      "accept-language": "en",
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    };
    const payload = body === undefined ? null : Buffer.from(JSON.stringify(body), "utf8");
    const response = read(await call({ method, url: new URL(path, url), headers, body: payload }, signal), clock.now());
    // A lost response to a question leaves nothing behind.
    return response.kind === "failed" && method === "GET" ? { ...response, isUncertain: false } : response;
  };
}

function read(result: ProviderCallResult, now: Date): ApiResponse {
  if (result.kind === "unsent") return failed("unreachable", false);
  if (result.kind === "lost") return failed(result.isTimeout ? "timed_out" : "broken_response", true);
  const { status, pageCount } = result;
  const retryAfterSeconds = delaySeconds(result.retryAfter, now);
  if (status === 401) return failed("key_refused", false);
  if (status === 402 || status === 403) return failed("plan_needed", false);
  if (status === 429) return { ...failed("busy", false), retryAfterSeconds };
  if (status >= 500) return { ...failed("broken_response", true), retryAfterSeconds };
  const json = jsonOf(result);
  const isSuccess = status >= 200 && status <= 299;
  // A page of HTML that says 404 comes from something in front of the provider, and must not count as "deleted".
  const isKnown = isSuccess || status === 400 || (status === 404 && typeof json === "object" && json !== null);
  if (!isKnown) return failed("broken_response", true);
  return { kind: "response", status, json, pageCount: wholeNumber(pageCount) };
}

const failed = (problem: ProviderProblem, isUncertain: boolean) =>
  ({ kind: "failed", problem, retryAfterSeconds: null, isUncertain }) as const;

/** `null` for what is no JSON. */
function jsonOf({ contentType, body }: { contentType: string; body: Buffer }): unknown {
  if (!/^application\/json\b/i.test(contentType)) return null;
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    return null;
  }
}

const RETRY_MAX_SECONDS = 3600;
/** Larger numbers are seconds since 1970. */
const DELAY_MAX_SECONDS = 1e9;

/** A delay, or as one of the provider's libraries writes it the time of the reset. @returns 1 second to an hour */
function delaySeconds(text: string | null, now: Date): number | null {
  if (text === null || !/^[0-9]{1,15}(?:\.[0-9]{1,9})?$/.test(text)) return null;
  const given = Number(text);
  const delay = given > DELAY_MAX_SECONDS ? given - now.getTime() / 1000 : given;
  return Math.min(Math.max(Math.ceil(delay), 1), RETRY_MAX_SECONDS);
}

function wholeNumber(text: string | null): number | null {
  return text !== null && /^[0-9]{1,6}$/.test(text) ? Number(text) : null;
}
