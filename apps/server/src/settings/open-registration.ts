import type { Config } from "./config.ts";
import { isLoopback } from "./values.ts";

/** Whether strangers can register. The public URL counts, because a proxy may pass requests to a loopback listener. */
export function isOpenToStrangers({
  registration,
  services,
  publicUrl,
  http,
}: Pick<Config, "registration" | "services" | "publicUrl" | "http">): boolean {
  const isLocal = isLoopback(http.host) && isLoopback(publicUrl.hostname);
  return registration === "open" && services.has("api") && !isLocal;
}
