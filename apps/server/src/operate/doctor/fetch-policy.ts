/** Reads an MTA-STS policy as a sender does: over https, with a certificate valid for the name (RFC 8461 §3.3). */
import { get } from "node:https";

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
      const chunks: Buffer[] = [];
      let bytes = 0;
      response.on("data", (chunk: Buffer) => {
        chunks.push(chunk);
        bytes += chunk.length;
        if (bytes > POLICY_BYTES_MAX) request.destroy();
      });
      response.on("end", () => resolve(Buffer.concat(chunks).toString("utf8")));
      response.on("error", () => resolve(null));
    });
    request.on("error", () => resolve(null));
    request.on("close", () => resolve(null));
  });
}
