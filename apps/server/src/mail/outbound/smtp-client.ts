/**
 * Opens a connection to one SMTP peer (RFC 5321, client side): greeting, EHLO, STARTTLS, AUTH. Messages then go through
 * smtp-connection.ts; which host and how many connections is the pool's business.
 */
import { isIP } from "node:net";
import { type ConnectionOptions, createSecureContext, getCACertificates, type SecureContext } from "node:tls";
import type { DeliveryOutcome } from "../../core/delivery/delivery.ts";
import { classifyLoss, classifyReply, deferred, isPositive, type SmtpStage } from "./classify-reply.ts";
import { logIn } from "./smtp-auth.ts";
import { ChannelError, SmtpChannel } from "./smtp-channel.ts";
import { QUIT_GRACE_MS, SmtpConnection, type SmtpTimeouts, smtpTimeouts } from "./smtp-connection.ts";
import { noExtensions, readExtensions, type SmtpExtensions } from "./smtp-extensions.ts";
import type { SmtpReply } from "./smtp-reply.ts";

export interface SmtpLogin {
  user: string;
  password: string;
}

export interface SmtpPeer {
  /** Where to connect: an address, or a name the system resolves. */
  host: string;
  port: number;
  /** Whom we mean, for TLS (SNI and certificate). */
  name: string;
  /** `opportunistic`: STARTTLS when offered, plain when it fails; `starttls`: or nothing; `implicit`: from the first byte. */
  tls: "opportunistic" | "starttls" | "implicit";
  /** Whether the certificate must be good for `name`. */
  isVerified: boolean;
  login: SmtpLogin | null;
}

export interface SmtpClientOptions {
  /** Our name in EHLO. */
  mailHost: string;
  timeouts?: Partial<SmtpTimeouts>;
  /** Certificates trusted besides the system's. */
  extraCa?: string;
}

export type OpenResult = { kind: "open"; connection: SmtpConnection } | { kind: "failed"; outcome: DeliveryOutcome };

/** Ends the set-up with an outcome that is already decided. */
class SetUpRefused extends Error {
  override name = "SetUpRefused";
  readonly outcome: DeliveryOutcome;
  constructor(outcome: DeliveryOutcome) {
    super("refused");
    this.outcome = outcome;
  }
}

/** Connects and sets up; in opportunistic mode a failed TLS handshake is followed by one plain connection. Never throws. */
export async function openSmtp(peer: SmtpPeer, options: SmtpClientOptions, signal?: AbortSignal): Promise<OpenResult> {
  const first = await tryOpen(peer, options, true, signal);
  const isFallback = first.kind === "failed" && peer.tls === "opportunistic" && isTlsFailure(first.outcome);
  return isFallback ? tryOpen(peer, options, false, signal) : first;
}

function isTlsFailure(outcome: DeliveryOutcome): boolean {
  return outcome.kind === "deferred" && outcome.failure.code === "tls_failed";
}

async function tryOpen(
  peer: SmtpPeer,
  options: SmtpClientOptions,
  withTls: boolean,
  signal?: AbortSignal,
): Promise<OpenResult> {
  const setUp = new SetUp(peer, options);
  try {
    return { kind: "open", connection: await setUp.run(withTls, signal) };
  } catch (error) {
    setUp.abandon();
    if (error instanceof ChannelError) return { kind: "failed", outcome: classifyLoss(error.reason) };
    if (error instanceof SetUpRefused) return { kind: "failed", outcome: error.outcome };
    throw error;
  }
}

class SetUp {
  readonly #peer: SmtpPeer;
  readonly #options: SmtpClientOptions;
  readonly #times: SmtpTimeouts;
  #channel: SmtpChannel | null = null;

  constructor(peer: SmtpPeer, options: SmtpClientOptions) {
    this.#peer = peer;
    this.#options = options;
    this.#times = { ...smtpTimeouts, ...options.timeouts };
  }

  async run(withTls: boolean, signal?: AbortSignal): Promise<SmtpConnection> {
    const { host, port, tls, login } = this.#peer;
    const target = { host, port, tls: tls === "implicit" ? this.#tlsOptions() : null };
    const channel = await SmtpChannel.open(target, this.#times.connectMs, signal);
    this.#channel = channel;
    const release = channel.abortWith(signal);
    try {
      this.#demand(await channel.reply(this.#times.greetingMs), "greeting");
      let extensions = await this.#hello(channel);
      if (withTls && tls !== "implicit" && (await this.#startTls(channel, extensions)))
        extensions = await this.#hello(channel);
      if (login !== null) await this.#logIn(channel, extensions, login);
      return new SmtpConnection(channel, extensions, this.#times);
    } finally {
      release();
    }
  }

  abandon(): void {
    this.#channel?.quit(QUIT_GRACE_MS);
  }

  async #hello(channel: SmtpChannel): Promise<SmtpExtensions> {
    const ehlo = await this.#ask(channel, `EHLO ${this.#options.mailHost}`);
    if (isPositive(ehlo, "hello")) return readExtensions(ehlo);
    if (ehlo.code < 500) throw new SetUpRefused(classifyReply(ehlo, "hello"));
    this.#demand(await this.#ask(channel, `HELO ${this.#options.mailHost}`), "hello");
    return noExtensions;
  }

  /** @returns whether TLS is on now */
  async #startTls(channel: SmtpChannel, offered: SmtpExtensions): Promise<boolean> {
    const isRequired = this.#peer.tls === "starttls";
    if (!offered.startTls) {
      if (isRequired) throw new ChannelError("tls_failed");
      return false;
    }
    const answer = await this.#ask(channel, "STARTTLS");
    if (!isPositive(answer, "starttls")) {
      if (isRequired) throw new ChannelError("tls_failed");
      return false;
    }
    await channel.secure(this.#tlsOptions(), this.#times.tlsMs);
    return true;
  }

  async #logIn(channel: SmtpChannel, offered: SmtpExtensions, login: SmtpLogin): Promise<void> {
    const answer = await logIn((line) => this.#ask(channel, line), offered.authMechanisms, login);
    if (answer === null) throw new SetUpRefused(deferred("login_failed", "4.7.0"));
    this.#demand(answer, "auth");
  }

  #ask(channel: SmtpChannel, line: string): Promise<SmtpReply> {
    channel.write(`${line}\r\n`);
    return channel.reply(this.#times.commandMs);
  }

  #demand(reply: SmtpReply, stage: SmtpStage): void {
    if (!isPositive(reply, stage)) throw new SetUpRefused(classifyReply(reply, stage));
  }

  #tlsOptions(): ConnectionOptions {
    const { name, isVerified } = this.#peer;
    return {
      ...(isIP(name) === 0 ? { servername: name } : { host: name }),
      rejectUnauthorized: isVerified,
      secureContext: sharedContext(this.#options.extraCa),
    };
  }
}

// Making a context reads every root certificate; connections of one kind share theirs.
const contexts = new Map<string | undefined, SecureContext>();

function sharedContext(extraCa: string | undefined): SecureContext {
  const known = contexts.get(extraCa);
  if (known !== undefined) return known;
  const made = createSecureContext(extraCa === undefined ? {} : { ca: [...getCACertificates(), extraCa] });
  contexts.set(extraCa, made);
  return made;
}
