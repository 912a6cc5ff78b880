/** Signs mail that is sent under one of our domains with DKIM and ARC. Keys are parsed once, at start. */
import { arcSeal, type DkimKey, dkimSign, fieldTextBytes, type HeaderField, readHeader } from "@kauke/mail-rfc";
import type { MessageAuthentication } from "../../core/message/message.ts";
import { BodyHashes } from "./body-hashes.ts";

export interface ToSign {
  domain: string;
  /** The whole header block as it is sent, without the blank line. */
  header: Buffer;
  /** Fields of `header`; absent or `null` if they are not known without reading it. */
  fields?: readonly HeaderField[] | null;
  /** Dot-stuffed message whose body is signed; the hash of the body is computed once per buffer object. */
  wire: Buffer;
  /** Offset of the body in `wire`. */
  bodyStart: number;
}

export interface MessageSigner {
  bodyHashes: BodyHashes;
  /** @returns DKIM-Signature fields to put on top; empty when the domain has no key */
  sign(message: ToSign): Promise<Buffer>;
  /**
   * @returns an ARC set to put on top; empty without an RSA key or authentication results, or when the chain can't be
   * extended
   */
  seal(message: ToSign, authentication: MessageAuthentication | undefined): Promise<Buffer>;
}

export function messageSigner(keys: readonly DkimKey[], now: () => Date): MessageSigner {
  const byDomain = Map.groupBy(keys, (key) => key.domain);
  const bodyHashes = new BodyHashes();
  const sourceOf = ({ header, fields, wire, bodyStart }: ToSign) => ({
    header,
    fields: fields ?? readHeader(header).fields,
    bodyHash: bodyHashes.of(wire, bodyStart),
    signedAt: now(),
  });

  return {
    bodyHashes,
    sign(message) {
      const signing = byDomain.get(message.domain);
      if (signing === undefined) return Promise.resolve(Buffer.alloc(0));
      return dkimSign(sourceOf(message), signing).then((fields) => fieldTextBytes(fields));
    },
    async seal(message, authentication) {
      const key = byDomain.get(message.domain)?.find((it) => it.algorithm === "rsa-sha256");
      const { results = null, arc: status } = authentication ?? {};
      if (key === undefined || results === null) return Buffer.alloc(0);
      if (status !== "none" && status !== "pass" && status !== "fail") return Buffer.alloc(0);
      return fieldTextBytes(await arcSeal({ ...sourceOf(message), results, status }, key));
    },
  };
}
