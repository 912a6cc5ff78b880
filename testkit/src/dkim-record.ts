/** The DNS record of the RSA key with which a running system signs for `kauke.test`. */
import { createPublicKey } from "node:crypto";
import type { DkimRecord } from "./programs/verify-dkim.ts";
import type { TestSystem } from "./system.ts";

/** @param system running system that was started with `dkimDomains: ["kauke.test"]` */
export function dkimRecordOf({ server }: TestSystem): DkimRecord {
  const key = server.store.dkimKeys.find(({ algorithm }) => algorithm === "rsa-sha256");
  if (key === undefined) throw new Error("the system has no RSA key for DKIM");
  const spki = createPublicKey(key.privateKey).export({ type: "spki", format: "der" });
  return { name: `${key.selector}._domainkey.kauke.test`, value: `v=DKIM1; k=rsa; p=${spki.toString("base64")}` };
}
