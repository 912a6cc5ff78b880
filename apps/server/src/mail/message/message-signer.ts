/** DKIM and ARC for mail under our domains. The operator's keys are parsed once, at start, those of accounts when needed. */
import {
  arcSign,
  asciiDomainOf,
  type DkimKey,
  dkimSign,
  fieldTextBytes,
  type HeaderField,
  readHeader,
  simpleBodyHash,
  unstuff,
} from "@kauke/mail-rfc";
import type { AccountDomainKeys } from "../../core/domain/account-domain.ts";
import type { AuthResult, MessageAuthentication } from "../../core/message/message.ts";

/** SHA-256 of bodies in simple form, shared by all copies and the verification on arrival. */
export class BodyHashes {
  readonly #known = new WeakMap<Buffer, { bodyStart: number; hash: Buffer }>();

  of(wire: Buffer, bodyStart: number): Buffer {
    const known = this.#known.get(wire);
    if (known?.bodyStart === bodyStart) return known.hash;
    const hash = simpleBodyHash(unstuff(wire.subarray(bodyStart)));
    this.remember(wire, bodyStart, hash);
    return hash;
  }

  /** Remembers the hash for this very buffer object, so not if unstuffing copied the message. */
  remember(message: Buffer, bodyStart: number, hash: Buffer): void {
    this.#known.set(message, { bodyStart, hash });
  }
}

export interface ToSign {
  domain: string;
  header: Buffer;
  fields?: readonly HeaderField[] | null;
  /** Dot-stuffed; its body is hashed once per buffer object. */
  wire: Buffer;
  bodyStart: number;
}

export interface MessageSigner {
  bodyHashes: BodyHashes;
  sign(message: ToSign): Promise<Buffer>;
  /** @returns an ARC set; empty without an RSA key or results, or when the chain can't be extended */
  signArc(message: ToSign, authentication: MessageAuthentication | undefined): Promise<Buffer>;
}

/** @param ofAccounts keys of own domains of accounts; left out: their mail is not signed here */
export function messageSigner(
  keys: readonly DkimKey[],
  now: () => Date,
  ofAccounts?: AccountDomainKeys,
): MessageSigner {
  const byDomain = Map.groupBy(keys, (key) => key.domain);
  const keysOf = async (domain: string) => byDomain.get(domain) ?? (await ofAccounts?.of(domain)) ?? [];
  const bodyHashes = new BodyHashes();
  const sourceOf = ({ header, fields, wire, bodyStart }: ToSign) => ({
    header,
    fields: fields ?? readHeader(header).fields,
    bodyHash: bodyHashes.of(wire, bodyStart),
    signedAt: now(),
  });

  return {
    bodyHashes,
    async sign(message) {
      const signing = await keysOf(message.domain);
      if (signing.length === 0) return Buffer.alloc(0);
      return fieldTextBytes(await dkimSign(sourceOf(message), signing));
    },
    async signArc(message, authentication) {
      const { results = null, arc: status } = authentication ?? {};
      if (results === null) return Buffer.alloc(0);
      if (status !== "none" && status !== "pass" && status !== "fail") return Buffer.alloc(0);
      const key = (await keysOf(message.domain)).find(({ algorithm }) => algorithm === "rsa-sha256");
      if (key === undefined) return Buffer.alloc(0);
      return fieldTextBytes(await arcSign({ ...sourceOf(message), results, status }, key));
    },
  };
}

/** `on`: for messages with an ARC chain, or to a provider known to use ARC. */
export type ArcSetting = "off" | "on" | "always";

export type SignsArcFor = (rcptTo: string, arc: AuthResult) => boolean;

/** Providers known to use ARC, by domains of their mail hosts, and of mailboxes for when the host is unknown. */
const readersOfArc = {
  google: ["google.com", "gmail.com", "googlemail.com"],
  microsoft: ["outlook.com", "hotmail.com", "live.com", "msn.com"],
  yahoo: ["yahoodns.net", "yahoo.com", "aol.com"],
  apple: ["icloud.com", "me.com", "mac.com"],
  fastmail: ["messagingengine.com", "fastmail.com"],
};
const domainsOfReaders: ReadonlySet<string> = new Set(Object.values(readersOfArc).flat());

/**
 * An ARC set (RFC 8617) costs two RSA signatures, and helps only where a chain arrived or the receiver evaluates ARC
 * (docs/decisions/2026-11-23-arc-where-a-chain-arrived.md). @param providerOf the domain itself when unknown
 */
export function arcSigning(setting: ArcSetting, providerOf: (domain: string) => string): SignsArcFor {
  if (setting !== "on") return () => setting === "always";
  return (rcptTo, arc) => {
    if (arc === "pass" || arc === "fail") return true;
    const domain = asciiDomainOf(rcptTo);
    return domainsOfReaders.has(domain) || domainsOfReaders.has(providerOf(domain));
  };
}
