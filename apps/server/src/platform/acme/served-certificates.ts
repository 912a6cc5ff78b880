/** Serves the issuer's certificates by name; until there are any, the server's own certificate. */
import { X509Certificate } from "node:crypto";
import { createSecureContext, type SecureContext } from "node:tls";
import type { Logger } from "../../runtime/ports.ts";
import type { CertificateSource } from "../certificate.ts";
import type { CertificatePair } from "../self-signed.ts";

interface ServedOptions {
  stored(): Promise<readonly CertificatePair[]>;
  /** Its certificate serves clients without SNI, as some mail servers, or with an unknown name. */
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
  refresh(): Promise<void>;
}

/** Reloads every few seconds, since another process may have ordered. A failed read changes nothing. */
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
