/** Reads an MTA-STS policy as a sender does: over https, with a certificate valid for the name (RFC 8461 §3.3). */
import { get } from "node:https";
import { collectStream } from "../../runtime/streams/collect-stream.ts";

const FETCH_MS = 10_000;
const POLICY_BYTES_MAX = 65_536;

/**
 * Downloads a domain's MTA-STS policy from one IP address of its policy host.
 * @returns `null` if that fails: no https, a certificate for another name, a status other than 200, or too large
 */
export function fetchPolicy(host: string, address: string): Promise<string | null> {
  return new Promise((resolve) => {
    const headers = { host, connection: "close" };
    const path = "/.well-known/mta-sts.txt";
    const signal = AbortSignal.timeout(FETCH_MS);
    const request = get({ host: address, servername: host, headers, path, signal }, (response) => {
      if (response.statusCode !== 200) return void request.destroy();
      void collectStream(response, POLICY_BYTES_MAX).then((chunks) =>
        resolve(chunks === null ? null : Buffer.concat(chunks).toString("utf8")),
      );
    });
    request.on("error", () => resolve(null));
    request.on("close", () => resolve(null));
  });
}
