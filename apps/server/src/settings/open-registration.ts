import type { Config } from "./config.ts";
import { isLoopback } from "./values.ts";

/**
 * Whether everybody who finds this server can register. A proxy may pass on requests to a listener on loopback, so the
 * public URL counts too.
 */
export function isOpenToStrangers({
  registration,
  services,
  publicUrl,
  http,
}: Pick<Config, "registration" | "services" | "publicUrl" | "http">): boolean {
  const isLocal = isLoopback(http.host) && isLoopback(publicUrl.hostname);
  return registration === "open" && services.has("api") && !isLocal;
}
