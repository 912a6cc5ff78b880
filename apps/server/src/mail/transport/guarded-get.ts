/** Reads other services' APIs for imports through the address guard, without redirects. */
import type { IncomingMessage } from "node:http";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { ServiceFetch, ServiceRequest, ServiceResponse } from "../../core/import/imported-alias.ts";
import { collectStream } from "../../runtime/byte-streams.ts";
import { type GuardedRequestRules, guardedRequest, isCallableUrl, LookupRefused } from "./address-guard.ts";

const STAGE_MS = 10_000;
/** Bytes; some 10,000 aliases with all that a service says about them. */
const RESPONSE_MAX_BYTES = 8 * 1024 * 1024;

export function guardedGet(rules: GuardedRequestRules): ServiceFetch {
  return {
    get: (request) => (isCallableUrl(request.url, rules.allow) ? send(request) : Promise.resolve("refused")),
  };

  function send({ url, headers, totalMs }: ServiceRequest): Promise<ServiceResponse | "refused" | "failed"> {
    return new Promise((resolve) => {
      const call = guardedRequest(url, rules, { timeout: STAGE_MS, headers });
      const timer = setTimeout(() => call.destroy(), totalMs);
      call.on("timeout", () => call.destroy());
      call.on("error", (error) => resolve(isRefusal(error) ? "refused" : "failed"));
      call.on("close", () => {
        clearTimeout(timer);
        resolve("failed");
      });
      call.on("response", (response) => resolve(readResponse(response)));
      call.end();
    });
  }
}

const isRefusal = (error: Error) => error instanceof LookupRefused && error.reason === "address_not_allowed";

function readResponse(response: IncomingMessage): ServiceResponse {
  const status = response.statusCode ?? 0;
  if (status !== 200) response.destroy();
  const body = status === 200 ? inTurns(collectStream(response, RESPONSE_MAX_BYTES)) : nothing();
  const { "x-page-count": pages, "retry-after": wait } = response.headers;
  return { status, pageCount: wholeNumber(pages), retryAfterSeconds: wholeNumber(wait), body };
}

function wholeNumber(text: string | string[] | undefined): number | null {
  return typeof text === "string" && /^[0-9]{1,9}$/.test(text) ? Number(text) : null;
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

async function* inTurns(collected: Promise<Buffer[] | null>): AsyncGenerator<Uint8Array> {
  const chunks = await collected;
  if (chunks === null) throw new Error("the response did not arrive whole");
  for (const chunk of chunks) {
    yield chunk;
    await nextTurn();
  }
}
