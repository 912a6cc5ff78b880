/** Requests to the forwarding provider through the address guard, without redirects. */
import type { IncomingMessage } from "node:http";
import type { CallProvider, ProviderCallResult } from "../../core/forwarding/call-provider.ts";
import { bounds } from "../../limits/table.ts";
import { collectStream } from "../../runtime/byte-streams.ts";
import { type GuardedRequestRules, guardedRequest, isCallableUrl } from "./address-guard.ts";

export function guardedCall(
  rules: GuardedRequestRules,
  { responseBytes, callMs }: { responseBytes: number; callMs: number } = bounds.providerCalls,
): CallProvider {
  return ({ method, url, headers, body }, signal) => {
    if (signal.aborted || !isCallableUrl(url, rules.allow)) return Promise.resolve({ kind: "unsent" });
    return new Promise((resolve) => {
      let [isSent, isTimeout, hasResponse] = [false, false, false];
      const length: Record<string, number> = body === null ? {} : { "content-length": body.length };
      const call = guardedRequest(url, rules, { method, headers: { ...headers, ...length } });
      const stop = () => {
        isTimeout = true;
        call.destroy();
      };
      // Covers look-up, connection, TLS and the whole response.
      const timer = setTimeout(stop, callMs);
      signal.addEventListener("abort", stop, { once: true });
      const end = (result: ProviderCallResult) => {
        clearTimeout(timer);
        signal.removeEventListener("abort", stop);
        resolve(result);
      };
      call.on("socket", (socket) => {
        // From the first byte on, the provider may carry the request out.
        socket.once(url.protocol === "https:" ? "secureConnect" : "connect", () => (isSent = true));
      });
      call.on("error", () => {});
      call.on("response", (response) => {
        hasResponse = true;
        void collectStream(response, responseBytes).then((chunks) => {
          end(chunks === null ? { kind: "lost", isTimeout } : responseOf(response, chunks));
          call.destroy();
        });
      });
      call.on("close", () => {
        if (!hasResponse) end(isSent ? { kind: "lost", isTimeout } : { kind: "unsent" });
      });
      call.end(body ?? undefined);
    });
  };
}

function responseOf(response: IncomingMessage, chunks: readonly Buffer[]): ProviderCallResult {
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
