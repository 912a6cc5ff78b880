/**
 * The MTA-STS policy (RFC 8461 §3.2): `/.well-known/mta-sts.txt`, served only under the host names `mta-sts.<domain>`
 * of our domains, which the reverse proxy must forward; a 404 under any other.
 */
import type { FastifyInstance } from "fastify";

/** @param policy content of the MTA-STS policy file */
export function mtaStsRoute(
  app: FastifyInstance,
  { domains, policy }: { domains: readonly string[]; policy: string },
): void {
  const hosts = new Set(domains.map((domain) => `mta-sts.${domain}`));
  app.get("/.well-known/mta-sts.txt", async (request, reply) => {
    if (!hosts.has(request.hostname.toLowerCase().replace(/\.$/, ""))) return reply.callNotFound();
    return reply.header("cache-control", "no-cache").type("text/plain; charset=utf-8").send(policy);
  });
}
