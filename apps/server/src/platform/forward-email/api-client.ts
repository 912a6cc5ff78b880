/** Calls of the provider's REST API. Its texts are never passed on; what it answers is one of a closed set. */
import type { ProviderProblem } from "@kauke/contract";
import type { CallProvider, ProviderCall, ProviderCallResult } from "../../core/forwarding/call-provider.ts";

export interface ApiRequest {
  method: ProviderCall["method"];
  /** From `/v1` on, e.g. `/v1/domains`; parts of it are escaped by the caller. */
  path: string;
  body?: object;
}

export type ApiResponse =
  /** 2xx, 400 or 404. */
  | { kind: "response"; status: number; json: unknown; pageCount: number | null }
  /** `isUncertain`: the provider may have carried it out, or may do so yet. */
  | { kind: "failed"; problem: ProviderProblem; retryAfterSeconds: number | null; isUncertain: boolean };

export type CallApi = (request: ApiRequest, signal: AbortSignal) => Promise<ApiResponse>;

/** @param key user name of the Basic authentication, with an empty password */
export function apiClient(call: CallProvider, { url, key }: { url: URL; key: string }): CallApi {
  const authorization = `Basic ${Buffer.from(`${key}:`).toString("base64")}`;
  return async ({ method, path, body }, signal) => {
    const headers = {
      authorization,
      accept: "application/json",
      "accept-language": "en",
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    };
    const payload = body === undefined ? null : Buffer.from(JSON.stringify(body), "utf8");
    return read(await call({ method, url: new URL(path, url), headers, body: payload }, signal));
  };
}

function read(result: ProviderCallResult): ApiResponse {
  if (result.kind === "unsent") return failed("unreachable", false);
  if (result.kind === "lost") return failed(result.isTimeout ? "timed_out" : "unreachable", true);
  const { status, retryAfter, pageCount } = result;
  if (status === 401) return failed("key_refused", false);
  if (status === 402 || status === 403) return failed("plan_needed", false);
  if (status === 429) return { ...failed("busy", false), retryAfterSeconds: wholeNumber(retryAfter) };
  if (status >= 500) return failed("broken_response", true);
  if ((status < 200 || status > 299) && status !== 400 && status !== 404) return failed("broken_response", true);
  return { kind: "response", status, json: jsonOf(result), pageCount: wholeNumber(pageCount) };
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

function wholeNumber(text: string | null): number | null {
  return text !== null && /^[0-9]{1,6}$/.test(text) ? Number(text) : null;
}
