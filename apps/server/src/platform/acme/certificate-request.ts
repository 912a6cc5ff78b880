/** Certificate signing requests (PKCS #10, RFC 2986). */
import { createPrivateKey, createPublicKey, sign } from "node:crypto";
import { derInteger, ecdsaWithSha256, hostNames, oid, sequence, tag, tlv } from "../der.ts";

const extensionRequest = oid("1.2.840.113549.1.9.14");

/** @param key PEM of an ECDSA P-256 key @returns DER, with the names only in subjectAltName */
export function certificateRequest(hosts: readonly string[], key: string): Buffer {
  const privateKey = createPrivateKey(key);
  const noSubject = sequence();
  const extensions = tlv(tag.set, sequence(hostNames(hosts)));
  const content = sequence(
    derInteger(Buffer.from([0])),
    noSubject,
    createPublicKey(privateKey).export({ type: "spki", format: "der" }),
    tlv(tag.attributes, sequence(extensionRequest, extensions)),
  );
  const signature = sign("sha256", content, privateKey);
  return sequence(content, ecdsaWithSha256, tlv(tag.bitString, Buffer.from([0]), signature));
}
