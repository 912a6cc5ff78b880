/** The certificates that all listeners serve: the operator's files, an issuer's (ACME), or a self-signed one. */
import { wantedCertificates } from "./core/certificate.ts";
import type { Resolver } from "./mail/dns/resolver.ts";
import { type CertificateIssuer, certificateIssuer, storedPairs } from "./platform/acme/certificate-issuer.ts";
import { serveIssued } from "./platform/acme/served-certificates.ts";
import { type CertificateSource, loadCertificate } from "./platform/certificate.ts";
import type { Clock, Logger } from "./runtime/ports.ts";
import type { Config } from "./settings/config.ts";
import type { Store } from "./store/open-store.ts";

interface CertificateParts {
  config: Config;
  store: Store;
  resolver: Resolver;
  clock: Clock;
  logger: Logger;
  ticketKeys?: Buffer | undefined;
  /** Root certificate (PEM) of a test issuer's web server. */
  issuerCa?: string | undefined;
}

export interface Certificates {
  certificate: CertificateSource;
  /** `null` without `KAUKE_TLS=acme`. */
  issuer: CertificateIssuer | null;
}

/** @throws SettingsError when the operator's files can't be used */
export async function openCertificates(parts: CertificateParts): Promise<Certificates> {
  const { config, store, resolver, clock, logger, ticketKeys, issuerCa } = parts;
  const own = loadCertificate(config, { clock, logger, ticketKeys });
  if (config.acme === null) return { certificate: own, issuer: null };
  const { certificateRecords: records } = store;
  const { mailHost } = config;
  const certificate = await serveIssued(own, { stored: () => storedPairs(records), mailHost, ticketKeys, logger });
  const issuer = certificateIssuer({
    directoryUrl: config.acme.directoryUrl,
    contact: config.acme.email,
    wanted: wantedCertificates({ ...config, publicUrl: config.publicUrl.origin }),
    records,
    onStored: certificate.refresh,
    isAlone: store.kind === "embedded",
    hasHttps: config.https !== null,
    hasAddress: (host) => hasAddress(resolver, host),
    clock,
    logger,
    ca: issuerCa,
  });
  return { certificate, issuer };
}

/** True while DNS does not respond: then the issuer decides. */
async function hasAddress(resolver: Resolver, host: string): Promise<boolean> {
  const results = await Promise.all([resolver.resolve4(host), resolver.resolve6(host)]);
  return results.some(({ kind }) => kind === "found" || kind === "failed");
}
