/** Opens a connection to an SMTP peer (RFC 5321, client side): greeting, EHLO, STARTTLS, AUTH. */
import { isIP } from "node:net";
import { type ConnectionOptions, createSecureContext, getCACertificates, type SecureContext } from "node:tls";
import type { DeliveryOutcome } from "../../../core/delivery/delivery.ts";
import {
  classifyLoss,
  classifyReply,
  deferred,
  isPositive,
  type PeerReply,
  type SmtpStage,
} from "../../classify-reply.ts";
import { ChannelError, SmtpChannel } from "./smtp-channel.ts";
import {
  noExtensions,
  QUIT_GRACE_MS,
  readExtensions,
  SmtpConnection,
  type SmtpExtensions,
  type SmtpTimeouts,
  smtpTimeouts,
} from "./smtp-connection.ts";

export interface RelayLogin {
  user: string;
  password: string;
}

export interface SmtpPeer {
  /** IP address, or a name that the system resolves. */
  host: string;
  port: number;
  /** For TLS (SNI and certificate). */
  name: string;
  /** `opportunistic`: STARTTLS if offered, plain if it fails; `starttls`: required; `implicit`: from the first byte. */
  tls: "opportunistic" | "starttls" | "implicit";
  isVerified: boolean;
  login: RelayLogin | null;
  provider?: string;
}

export interface SmtpClientOptions {
  mailHost: string;
  timeouts?: Partial<SmtpTimeouts>;
  extraCa?: string;
}

export type OpenFailure = { kind: "failed"; outcome: DeliveryOutcome; stage?: SmtpStage; replyCode: number | null };
export type OpenResult = { kind: "open"; connection: SmtpConnection } | OpenFailure;

class SetUpRefused extends Error {
  override name = "SetUpRefused";
  readonly failure: OpenFailure;
  constructor(failure: Omit<OpenFailure, "kind">) {
    super("refused");
    this.failure = { kind: "failed", ...failure };
  }
}

/** `extended`: EHLO, and STARTTLS when offered; `plain`: without STARTTLS; `basic`: HELO only (RFC 5321 §3.2). */
type Dialect = "extended" | "plain" | "basic";

/** Opportunistic mode retries a failed TLS handshake or EHLO once, in a simpler dialect. Never throws. */
export async function openSmtp(peer: SmtpPeer, options: SmtpClientOptions, signal?: AbortSignal): Promise<OpenResult> {
  const first = await tryOpen(peer, options, "extended", signal);
  const simpler = first.kind === "failed" && peer.tls === "opportunistic" ? simplerDialect(first, peer) : null;
  return simpler === null || signal?.aborted ? first : tryOpen(peer, options, simpler, signal);
}

function simplerDialect({ outcome, stage, replyCode }: OpenFailure, { login }: SmtpPeer): Dialect | null {
  if (outcome.kind !== "deferred") return null;
  const { code } = outcome.failure;
  if (code === "tls_failed") return "plain";
  const isTemporary = replyCode !== null && replyCode >= 400 && replyCode < 500;
  // A host that did not respond to EHLO in time will not respond to HELO either.
  return stage === "hello" && !isTemporary && code !== "timed_out" && login === null ? "basic" : null;
}

async function tryOpen(
  peer: SmtpPeer,
  options: SmtpClientOptions,
  dialect: Dialect,
  signal?: AbortSignal,
): Promise<OpenResult> {
  const setUp = new SetUp(peer, options);
  try {
    return { kind: "open", connection: await setUp.run(dialect, signal) };
  } catch (error) {
    setUp.abandon();
    if (error instanceof ChannelError)
      return { kind: "failed", outcome: classifyLoss(error.reason), stage: setUp.stage, replyCode: null };
    if (error instanceof SetUpRefused) return error.failure;
    throw error;
  }
}

class SetUp {
  readonly #peer: SmtpPeer;
  readonly #options: SmtpClientOptions;
  readonly #times: SmtpTimeouts;
  #channel: SmtpChannel | null = null;
  stage: SmtpStage | undefined;

  constructor(peer: SmtpPeer, options: SmtpClientOptions) {
    this.#peer = peer;
    this.#options = options;
    this.#times = { ...smtpTimeouts, ...options.timeouts };
  }

  async run(dialect: Dialect, signal?: AbortSignal): Promise<SmtpConnection> {
    const { host, port, tls, login } = this.#peer;
    const target = { host, port, tls: tls === "implicit" ? this.#tlsOptions() : null };
    const channel = await SmtpChannel.open(target, this.#times.connectMs, signal);
    this.#channel = channel;
    const release = channel.abortWith(signal);
    try {
      this.stage = "greeting";
      this.#demand(await channel.reply(this.#times.greetingMs), "greeting");
      this.stage = "hello";
      let extensions = dialect === "basic" ? await this.#helo(channel) : await this.#hello(channel);
      this.stage = "starttls";
      if (dialect === "extended" && tls !== "implicit" && (await this.#startTls(channel, extensions)))
        extensions = await this.#hello(channel);
      this.stage = "auth";
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
    if (ehlo.code < 500) this.#demand(ehlo, "hello");
    return await this.#helo(channel);
  }

  async #helo(channel: SmtpChannel): Promise<SmtpExtensions> {
    this.#demand(await this.#ask(channel, `HELO ${this.#options.mailHost}`), "hello");
    return noExtensions;
  }

  async #startTls(channel: SmtpChannel, offered: SmtpExtensions): Promise<boolean> {
    const isRequired = this.#peer.tls === "starttls";
    if (!offered.startTls) {
      if (isRequired) throw new ChannelError("tls_failed");
      return false;
    }
    const reply = await this.#ask(channel, "STARTTLS");
    if (!isPositive(reply, "starttls")) {
      if (isRequired) throw new ChannelError("tls_failed");
      return false;
    }
    await channel.secure(this.#tlsOptions(), this.#times.tlsMs);
    return true;
  }

  async #logIn(channel: SmtpChannel, offered: SmtpExtensions, login: RelayLogin): Promise<void> {
    const reply = await logIn((line) => this.#ask(channel, line), offered.authMechanisms, login);
    if (reply === null)
      throw new SetUpRefused({ outcome: deferred("login_failed", "4.7.0"), stage: "auth", replyCode: null });
    this.#demand(reply, "auth");
  }

  async #ask(channel: SmtpChannel, line: string): Promise<PeerReply> {
    channel.write(`${line}\r\n`);
    return await channel.reply(this.#times.commandMs);
  }

  #demand(reply: PeerReply, stage: SmtpStage): void {
    if (isPositive(reply, stage)) return;
    throw new SetUpRefused({ outcome: classifyReply(reply, stage), stage, replyCode: reply.code });
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

// Creating a TLS context reads every root certificate, so it is shared.
const contexts = new Map<string | undefined, SecureContext>();

function sharedContext(extraCa: string | undefined): SecureContext {
  const known = contexts.get(extraCa);
  if (known !== undefined) return known;
  const made = createSecureContext(extraCa === undefined ? {} : { ca: [...getCACertificates(), extraCa] });
  contexts.set(extraCa, made);
  return made;
}

const base64 = (text: string) => Buffer.from(text, "utf8").toString("base64");

/** AUTH (RFC 4954): PLAIN (RFC 4616), else LOGIN. @returns the final reply; `null` when the peer offers neither */
async function logIn(
  ask: (line: string) => Promise<PeerReply>,
  mechanisms: ReadonlySet<string>,
  { user, password }: { user: string; password: string },
): Promise<PeerReply | null> {
  if (mechanisms.has("PLAIN")) return ask(`AUTH PLAIN ${base64(`\0${user}\0${password}`)}`);
  if (!mechanisms.has("LOGIN")) return null;
  const forUser = await ask("AUTH LOGIN");
  if (forUser.code !== 334) return forUser;
  const forPassword = await ask(base64(user));
  return forPassword.code === 334 ? ask(base64(password)) : forPassword;
}
