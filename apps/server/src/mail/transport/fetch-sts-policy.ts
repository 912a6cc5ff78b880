/**
 * Fetches a domain's MTA-STS policy file (RFC 8461 §3.3): one HTTPS request to `mta-sts.<domain>` through the address
 * guard, with a certificate valid for this name. No redirects, no cache; any failure means that there is no file.
 */
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { collectStream } from "../../runtime/streams/collect-stream.ts";
import type { Resolver } from "../dns/resolver.ts";
import { type AllowList, guardedLookup } from "./address-guard.ts";

export interface StsFetchRules {
  resolver: Resolver;
  allow: AllowList;
  port?: number;
  deadlineMs?: number;
  /** CA certificates trusted instead of the system's. */
  ca?: string;
}

const FILE_MAX_BYTES = 64 * 1024;

/**
 * @param domain A-labels, lower case
 * @returns the file as served; `null` when it can't be fetched
 */
export function fetchStsPolicy(domain: string, rules: StsFetchRules): Promise<string | null> {
  // The sender of a message waits for this, so the deadline is shorter than the minute of RFC 8461 §3.3.
  const { resolver, allow, port = 443, deadlineMs = 10_000, ca } = rules;
  return new Promise((resolve) => {
    const asked = request({
      hostname: `mta-sts.${domain}`,
      port,
      path: "/.well-known/mta-sts.txt",
      agent: false,
      lookup: guardedLookup(resolver, allow, port),
      ca,
      headers: { "user-agent": "Kauke" },
    });
    const finish = (file: string | null) => {
      clearTimeout(timer);
      resolve(file);
      asked.destroy();
    };
    const timer = setTimeout(() => finish(null), deadlineMs);
    asked.on("error", () => finish(null)).on("close", () => finish(null));
    asked.on("response", (response) => void readFile(response).then(finish));
    asked.end();
  });
}

async function readFile(response: IncomingMessage): Promise<string | null> {
  const type = response.headers["content-type"]?.split(";", 1)[0]?.trim().toLowerCase();
  if (response.statusCode !== 200 || type !== "text/plain") return null;
  const chunks = await collectStream(response, FILE_MAX_BYTES);
  return chunks === null ? null : Buffer.concat(chunks).toString();
}
