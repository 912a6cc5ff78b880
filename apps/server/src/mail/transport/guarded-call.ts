/** Requests to the forwarding provider through the address guard, without redirects. */
import type { IncomingMessage } from "node:http";
import type { CallProvider, ProviderCallResult } from "../../core/forwarding/call-provider.ts";
import { bounds } from "../../limits/table.ts";
import { collectStream } from "../../runtime/byte-streams.ts";
import { type GuardedRequestRules, guardedRequest, isCallableUrl } from "./address-guard.ts";

const { responseBytes, callMs } = bounds.providerCalls;

export function guardedCall(rules: GuardedRequestRules): CallProvider {
  return ({ method, url, headers, body }, signal) => {
    if (!isCallableUrl(url, rules.allow)) return Promise.resolve({ kind: "unsent" });
    return new Promise((resolve) => {
      let [isSent, isTimeout] = [false, false];
      const length: Record<string, number> = body === null ? {} : { "content-length": body.length };
      const call = guardedRequest(url, rules, { method, headers: { ...headers, ...length } });
      const stop = () => {
        isTimeout = true;
        call.destroy();
      };
      const timer = setTimeout(stop, callMs);
      signal.addEventListener("abort", stop, { once: true });
      call.on("socket", (socket) => {
        // From the first octet on, the provider may carry the request out.
        socket.once(url.protocol === "https:" ? "secureConnect" : "connect", () => (isSent = true));
      });
      call.on("error", () => {});
      call.on("close", () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", stop);
        resolve(isSent ? { kind: "lost", isTimeout } : { kind: "unsent" });
      });
      call.on("response", (response) => void readResponse(response).then(resolve, () => {}));
      call.end(body ?? undefined);
    });
  };
}

async function readResponse(response: IncomingMessage): Promise<ProviderCallResult> {
  const chunks = await collectStream(response, responseBytes);
  if (chunks === null) return { kind: "lost", isTimeout: false };
  const { "content-type": contentType = "", "retry-after": retryAfter, "x-page-count": pageCount } = response.headers;
  return {
    kind: "response",
    status: response.statusCode ?? 0,
    contentType,
    retryAfter: retryAfter ?? null,
    pageCount: typeof pageCount === "string" ? pageCount : null,
    body: Buffer.concat(chunks),
  };
}
