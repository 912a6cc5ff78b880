/** The origin at which a person sees us, for texts that must name it. */
import { isOwnOrigin, type OwnOrigins } from "./request/same-site.ts";

/** @param host of the request; counts only while `KAUKE_PUBLIC_URL` is unset, and only if it is a loopback name of ours */
export function publicOrigin(host: string | undefined, own: OwnOrigins): string {
  const named = `http://${host}`;
  return !own.publicUrlGiven && isOwnOrigin(named, own) ? named : own.publicUrl.origin;
}
