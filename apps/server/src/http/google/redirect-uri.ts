import type { FastifyRequest } from "fastify";
import type { Config } from "../../settings/config.ts";

export const callbackPath = "/api/auth/google/callback";

/**
 * URI that the issuer redirects the browser back to, on the public URL. While `KAUKE_PUBLIC_URL` is unset, the URI has
 * the loopback name that the user came by, since the flow's cookie is bound to it.
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
