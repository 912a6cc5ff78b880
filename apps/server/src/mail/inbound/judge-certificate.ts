/** Whether a host that checks our certificate before it sends mail, e.g. by MTA-STS, would find it valid. */
import { X509Certificate } from "node:crypto";
import { duplexPair } from "node:stream";
import { connect, createSecureContext, TLSSocket, type TLSSocketOptions } from "node:tls";
import { isSelfSigned } from "../../core/certificate.ts";
import type { CertificateState } from "../../core/probe/probe.ts";

/** PEM, with the chain as clients get it. */
export interface OurCertificate {
  cert: string;
  key: string;
}

export async function judgeCertificate(pair: OurCertificate, mailHost: string, now: Date): Promise<CertificateState> {
  const certificate = parsed(pair.cert);
  if (certificate === null) return "not_checked";
  if (now < certificate.validFromDate || now > certificate.validToDate) return "expired";
  if (certificate.checkHost(mailHost) === undefined) return "wrong_name";
  if (isSelfSigned(certificate)) return "self_signed";
  const isTrusted = await isChainTrusted(pair, mailHost);
  if (isTrusted === null) return "not_checked";
  return isTrusted ? "valid" : "untrusted";
}

function parsed(pem: string): X509Certificate | null {
  try {
    return new X509Certificate(pem);
  } catch {
    return null;
  }
}

const HANDSHAKE_MS = 5000;

/** Verified by OpenSSL in a handshake within this process, against the roots that Node knows. @returns `null`: failed */
async function isChainTrusted(pair: OurCertificate, servername: string): Promise<boolean | null> {
  const options = serverOptions(pair);
  if (options === null) return null;
  const [ours, theirs] = duplexPair();
  const server = new TLSSocket(ours, options);
  const client = connect({ socket: theirs, servername, rejectUnauthorized: false });
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<boolean | null>((resolve) => {
      timer = setTimeout(() => resolve(null), HANDSHAKE_MS);
      client.once("secureConnect", () => resolve(client.authorized));
      for (const socket of [client, server]) socket.on("error", () => resolve(null));
    });
  } finally {
    clearTimeout(timer);
    client.destroy();
    server.destroy();
  }
}

function serverOptions(pair: OurCertificate): TLSSocketOptions | null {
  try {
    return { isServer: true, secureContext: createSecureContext({ cert: pair.cert, key: pair.key }) };
  } catch {
    return null;
  }
}
