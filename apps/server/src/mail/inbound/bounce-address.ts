/**
 * The bounce address of an alias: used where the sender's address is too long for SRS. It names the alias alone, by id, and
 * carries a keyed hash so that nobody can make one up.
 */
import type { SrsHash } from "@kauke/mail-rfc";

const PATTERN = /^srs0-([0-9a-f]{32})-([0-9a-f]{16})$/;

/** @returns e.g. `srs0-9f…-1c…@kauke.test`, 54 octets of local part */
export function bounceAddress(aliasId: string, domain: string, hash: SrsHash): string {
  const id = aliasId.replaceAll("-", "");
  return `srs0-${id}-${proof(id, hash)}@${domain}`;
}

/** @param local any case @returns the alias' id, `null` when it is no bounce address of ours */
export function readBounceAddress(local: string, hash: SrsHash): string | null {
  const match = PATTERN.exec(local.toLowerCase());
  if (match === null || proof(match[1] as string, hash) !== match[2]) return null;
  return (match[1] as string).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

function proof(id: string, hash: SrsHash): string {
  return hash(`bounce\0${id}`).toString("hex").slice(0, 16);
}
