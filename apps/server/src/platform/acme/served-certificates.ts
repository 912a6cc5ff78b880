/** The certificates of an issuer, served by name in front of the server's own one, which serves until there are any. */
import { X509Certificate } from "node:crypto";
import { createSecureContext, type SecureContext } from "node:tls";
import type { Logger } from "../../runtime/ports.ts";
import type { CertificateSource } from "../certificate.ts";
import type { CertificatePair } from "../self-signed.ts";

interface ServedOptions {
  /** Reads the certificates that are stored now. */
  stored(): Promise<readonly CertificatePair[]>;
  /** For clients that name no host, as some mail servers, or one that no certificate has. */
  mailHost: string;
  ticketKeys?: Buffer | undefined;
  logger: Logger;
  checkEveryMs?: number;
}

interface Served {
  pair: CertificatePair;
  parsed: X509Certificate;
  context: SecureContext;
}

export interface ServedCertificates extends CertificateSource {
  /** Reads what is stored now. */
  refresh(): Promise<void>;
}

/** Reads what is stored, then again every few seconds: another process may have ordered. A failed read changes nothing. */
export async function serveIssued(own: CertificateSource, options: ServedOptions): Promise<ServedCertificates> {
  const { stored, mailHost, ticketKeys, logger, checkEveryMs = 10_000 } = options;
  let served: readonly Served[] = [];
  const serve = (pair: CertificatePair): Served[] => {
    try {
      const context = createSecureContext({ ...pair, ticketKeys });
      return [{ pair, parsed: new X509Certificate(pair.cert), context }];
    } catch {
      logger.warn("certificate_unusable");
      return [];
    }
  };
  const refresh = async () => {
    const pairs = await stored().catch(() => null);
    if (pairs === null) return;
    const before = new Map(served.map((one) => [one.pair.cert, one]));
    served = pairs.flatMap((pair) => before.get(pair.cert) ?? serve(pair));
  };
  await refresh();
  const timer = setInterval(() => void refresh(), checkEveryMs).unref();
  const find = (name: string) => served.find(({ parsed }) => parsed.checkHost(name) !== undefined);
  return {
    current: () => find(mailHost)?.pair ?? own.current(),
    context: (name = mailHost) => (find(name) ?? find(mailHost))?.context ?? own.context(name),
    refresh,
    isIssued: (name) => find(name) !== undefined,
    close: () => {
      clearInterval(timer);
      own.close();
    },
  };
}
