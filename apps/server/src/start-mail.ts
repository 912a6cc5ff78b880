/**
 * Starts the SMTP listeners: MX, submission with STARTTLS, submission with implicit TLS. They share one certificate.
 */
import { createSecureContext } from "node:tls";
import { partOfAll } from "./limits/process-part.ts";
import type { SessionHandlers } from "./mail/smtp/session-handlers.ts";
import { SmtpServer } from "./mail/smtp/smtp-server.ts";
import { loadCertificate } from "./platform/certificate.ts";
import type { Clock, Logger, Metrics } from "./runtime/ports.ts";
import type { Config, ListenConfig } from "./settings/config.ts";
import type { WiredMail } from "./wire-mail.ts";

export interface MailPorts {
  mx: number | null;
  submission: number | null;
  submissions: number | null;
}

export interface MailListeners {
  ports: MailPorts;
  close(graceMs: number): Promise<void>;
}

export interface MailListenerParts {
  config: Config;
  logger: Logger;
  metrics: Metrics;
  clock: Clock;
  mail: WiredMail;
  /** Number of processes among which the limits of connections are divided; default: 1. */
  processes?: number | undefined;
  isRunning(service: "mx" | "submission"): boolean;
  /** Keys of TLS session tickets: 48 random bytes. By default OpenSSL makes new keys for each certificate. */
  ticketKeys?: Buffer | undefined;
}

/** Maximum connections of one listener in one process. */
const CONNECTIONS_MAX = 1000;
/** Limits of each listener. Disabled by `KAUKE_LIMITS=off`, since load tests come from one address. */
const shares = {
  maxConnectionsPerAddress: 200,
  maxConnectionsPerBlock: 250,
  maxConnectionsPerBlockWhenCrowded: 125,
  maxHandshakes: 250,
  maxHandshakesPerBlock: 100,
  maxConnectionsPerAccount: 50,
};

export async function startMailListeners(parts: MailListenerParts): Promise<MailListeners> {
  const { config, mail, isRunning, ticketKeys } = parts;
  const certificate = loadCertificate(config, parts);
  let secureContext = createSecureContext({ ...certificate.current(), ticketKeys });
  certificate.onChange((pair) => {
    secureContext = createSecureContext({ ...pair, ticketKeys });
  });
  const servers: SmtpServer[] = [];
  const listen = async (
    at: ListenConfig & { gauge?: string },
    { handlers, isImplicit = false }: { handlers: SessionHandlers; isImplicit?: boolean },
  ) => {
    // Several processes may share the port only if they also share the store.
    const listener = { ...at, sharePort: config.databaseUrl !== null };
    const tls = { context: () => secureContext, isImplicit };
    const server = new SmtpServer({ ...common(parts), listener, tls, handlers });
    servers.push(server);
    return server.listen();
  };
  const close = async (graceMs: number) => {
    certificate.close();
    await Promise.all(servers.map((server) => server.close(graceMs)));
  };
  const ports: MailPorts = { mx: null, submission: null, submissions: null };
  try {
    if (isRunning("mx")) {
      ports.mx = await listen({ ...config.mx, gauge: "kauke_mx_sessions" }, { handlers: mail.handlers });
    }
    if (isRunning("submission")) {
      const handlers = mail.submission;
      ports.submission = await listen({ ...config.submission, gauge: "kauke_submission_sessions" }, { handlers });
      ports.submissions = await listen(config.submissions, { handlers, isImplicit: true });
    }
    return { ports, close };
  } catch (thrown) {
    await close(0);
    throw thrown;
  }
}

function common({ config, metrics, mail, processes = 1 }: MailListenerParts) {
  const isUnlimited = config.limits === "off";
  const { mailHost, maxMessageBytes, memoryBudgetBytes } = config;
  return {
    mailHost,
    maxMessageBytes,
    budget: mail.budget,
    limits: {
      maxConnections: CONNECTIONS_MAX,
      ...(isUnlimited ? { maxConnectionsPerAddress: CONNECTIONS_MAX } : partOfAll(shares, processes)),
      admits: (address: string) => mail.limits?.takeConnection(address) ?? true,
      maxBytesPerAddress: isUnlimited ? memoryBudgetBytes : Math.max(maxMessageBytes, memoryBudgetBytes / 4),
      maxBytesPerBlock: isUnlimited ? memoryBudgetBytes : Math.max(maxMessageBytes, memoryBudgetBytes / 2),
    },
    metrics,
  };
}
