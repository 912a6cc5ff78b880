import type { FastifyRequest } from "fastify";
import type { Config } from "../../config.ts";

export const callbackPath = "/api/auth/google/callback";

/**
 * Where the issuer sends the browser back to: on the public URL. While that is unset both loopback names of this port are ours,
 * and the cookie is bound to the one the person came by.
 * @returns e.g. `https://kauke.example/api/auth/google/callback`
 */
export function redirectUri(
  request: FastifyRequest,
  { publicUrl, publicUrlGiven, http }: Pick<Config, "publicUrl" | "publicUrlGiven" | "http">,
): string {
  if (publicUrlGiven) return `${publicUrl.origin}${callbackPath}`;
  const port = request.socket.localPort ?? http.port;
  const host = request.hostname === "127.0.0.1" ? "127.0.0.1" : "localhost";
  return `http://${host}${port === 80 ? "" : `:${port}`}${callbackPath}`;
}
