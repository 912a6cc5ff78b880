/** Public origin of this server as the client sees it, for URLs and wallet messages that contain it. */
import { isOwnOrigin, type OwnOrigins } from "./request/same-site.ts";

/**
 * @param host Host field of the request; used only while `KAUKE_PUBLIC_URL` is unset, and only if it is a loopback name
 * of this server
 */
export function publicOrigin(host: string | undefined, own: OwnOrigins): string {
  const named = `http://${host}`;
  return !own.publicUrlGiven && isOwnOrigin(named, own) ? named : own.publicUrl.origin;
}
