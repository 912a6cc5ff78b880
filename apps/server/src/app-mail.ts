/** The mail path as a service: MX, submission with STARTTLS and with implicit TLS, and the delivery worker. */

import type { SecureContext } from "node:tls";
import { sendingOf } from "./app-forwarding.ts";
import { GRACE_MS, type Parts, type Service } from "./app-services.ts";
import { type GoneWebhook, pauseWebhook } from "./core/alias/update-alias.ts";
import { mailDomains } from "./core/domain/mail-domains.ts";
import type { SendTestMail } from "./core/first-steps.ts";
import type { SendPreviewReply } from "./core/preview/preview-reply.ts";
import { bounds, partOfAll } from "./limits/table.ts";
import { previewReplyTaker } from "./mail/inbound/take-preview-reply.ts";
import { testMailTaker } from "./mail/inbound/take-test-mail.ts";
import { Pop3Session } from "./mail/smtp/pop3-session.ts";
import type { SessionHandlers } from "./mail/smtp/session-handlers.ts";
import { SmtpServer, type SmtpServerOptions } from "./mail/smtp/smtp-server.ts";
import { chooseTransports } from "./mail/transport/choose-transport.ts";
import { type WiredMail, wireMail } from "./mail/wire.ts";
import type { ListenConfig } from "./settings/config.ts";

export interface MailPorts {
  mx: number | null;
  submission: number | null;
  submissions: number | null;
  pop3s: number | null;
}

export interface MailService extends Service {
  /** Takes what is written in the preview inbox; `null` without one. */
  previewReply: SendPreviewReply | null;
  testMail: SendTestMail;
}

/** Least time that transports get to finish at shutdown. */
const GRACE_LEFT_MIN_MS = 300;
const { smtpConnections, tlsHandshakes } = bounds;
/** Limits of each listener. Disabled by `KAUKE_LIMITS=off`, since load tests come from one address. */
const shares = {
  maxConnectionsPerAddress: smtpConnections.network,
  maxConnectionsPerBlock: smtpConnections.block,
  maxConnectionsPerBlockWhenCrowded: smtpConnections.crowdedBlock,
  maxHandshakes: tlsHandshakes.all,
  maxHandshakesPerBlock: tlsHandshakes.block,
  maxConnectionsPerAccount: bounds.submissionConnections.account,
};

/** @param ports gets the ports of the listeners */
export function mailService(parts: Parts, ports: MailPorts): MailService {
  const { config, overrides } = parts;
  const sendByProvider = sendingOf(config, parts);
  const transports = chooseTransports(config, { ...parts, direct: overrides.direct, sendByProvider });
  const store = { ...parts.store, pauseWebhook: (gone: GoneWebhook) => pauseWebhook(parts.store, gone) };
  const mail = wireMail({
    ...parts,
    store,
    ...parts.features,
    leakGuard: parts.leakGuard,
    queue: config.services.has("sender") ? store.deliveries : null,
    transports,
    encrypter: overrides.encrypter,
  });
  const listeners = new Listeners(parts, mail);
  let drainedAt = 0;
  return {
    previewReply: previewReplyOf(parts, mail),
    testMail: testMailTaker({ inbound: mail.handlers, mailHost: config.mailHost }),
    async start() {
      mail.deliveryWorker?.start();
      await listeners.start(ports);
    },
    async drain() {
      drainedAt = performance.now();
      await Promise.all([mail.deliveryWorker?.close(GRACE_MS), listeners.close()]);
    },
    async close() {
      await transports.close(Math.max(GRACE_LEFT_MIN_MS, GRACE_MS - (performance.now() - drainedAt)));
      await mail.close();
    },
  };
}

const NO_REPLIES = "a provider forwards, so this server takes no mail, and replies can't be tried";

function previewReplyOf({ config, store, preview }: Parts, mail: WiredMail): SendPreviewReply | null {
  if (preview === null) return null;
  if (config.forwarding.kind !== "engine") return async () => NO_REPLIES;
  const { mailHost } = config;
  const domains = mailDomains(config.domains, store.provenDomains);
  return previewReplyTaker({ inbound: mail.handlers, inbox: preview, domains, mailHost });
}

interface ListenTls {
  context: (name?: string) => SecureContext;
  isImplicit?: boolean;
  openSession?: SmtpServerOptions["openSession"];
}

class Listeners {
  readonly #parts: Parts;
  readonly #mail: WiredMail;
  readonly #servers: SmtpServer[] = [];

  constructor(parts: Parts, mail: WiredMail) {
    this.#parts = parts;
    this.#mail = mail;
  }

  async start(ports: MailPorts): Promise<void> {
    const { config, certificate } = this.#parts;
    const context = (name?: string) => certificate.context(name);
    const { handlers, submission } = this.#mail;
    if (config.services.has("mx")) {
      ports.mx = await this.#listen({ ...config.mx, gauge: "kauke_mx_sessions" }, handlers, { context });
    }
    if (!config.services.has("submission")) return;
    const at = { ...config.submission, gauge: "kauke_submission_sessions" };
    ports.submission = await this.#listen(at, submission, { context });
    ports.submissions = await this.#listen(config.submissions, submission, { context, isImplicit: true });
    if (config.pop3s !== null) ports.pop3s = await this.#listenPop3(config.pop3s, { context });
  }

  /** The server also starts when this port can't be opened, because no mail goes through it. */
  async #listenPop3(at: ListenConfig, tls: Pick<ListenTls, "context">): Promise<number | null> {
    const openSession: SmtpServerOptions["openSession"] = (...given) => new Pop3Session(...given);
    const listening = this.#listen(at, this.#mail.submission, { ...tls, isImplicit: true, openSession });
    return listening.catch((thrown: unknown) => {
      const { code } = Object(thrown) as { code?: unknown };
      if (code !== "EADDRINUSE" && code !== "EACCES") throw thrown;
      this.#parts.logger.warn("pop3s_not_listening", { code, port: at.port });
      return null;
    });
  }

  async close(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.close(GRACE_MS)));
  }

  #listen(
    at: ListenConfig & { gauge?: string },
    handlers: SessionHandlers,
    { context, isImplicit = false, openSession }: ListenTls,
  ): Promise<number> {
    // Several processes may share the port only if they also share the store.
    const listener = { ...at, sharePort: this.#parts.config.databaseUrl !== null };
    const options = listenerOptions(this.#parts, this.#mail);
    const tls = { context, isImplicit };
    const server = new SmtpServer({ ...options, listener, tls, handlers, ...(openSession && { openSession }) });
    this.#servers.push(server);
    return server.listen();
  }
}

function listenerOptions({ config, metrics, processes }: Parts, mail: WiredMail) {
  const isUnlimited = config.limits === "off";
  const { mailHost, maxMessageBytes, memoryBudgetBytes } = config;
  return {
    mailHost,
    maxMessageBytes,
    budget: mail.budget,
    limits: {
      maxConnections: smtpConnections.all,
      ...(isUnlimited ? { maxConnectionsPerAddress: smtpConnections.all } : partOfAll(shares, processes)),
      admits: (address: string) => mail.limits?.takeConnection(address) ?? true,
      maxBytesPerAddress: isUnlimited
        ? memoryBudgetBytes
        : Math.max(maxMessageBytes, memoryBudgetBytes * bounds.messagesInMemory.networkPart),
      maxBytesPerBlock: isUnlimited
        ? memoryBudgetBytes
        : Math.max(maxMessageBytes, memoryBudgetBytes * bounds.messagesInMemory.blockPart),
    },
    metrics,
  };
}
