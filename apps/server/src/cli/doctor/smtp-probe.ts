/**
 * Connects to one of our listeners as a client would: greeting, EHLO, STARTTLS or implicit TLS, and the certificate.
 */
import type { X509Certificate } from "node:crypto";
import { connect, type Socket } from "node:net";
import { connect as connectTls, type TLSSocket } from "node:tls";

export interface ProbeTarget {
  host: string;
  port: number;
  /** Server name of the TLS handshake, which the certificate must cover. */
  serverName: string;
  /** Whether TLS starts with the first byte (implicit TLS) instead of STARTTLS. */
  isTlsAtOnce: boolean;
}

export type ProbeResult =
  | { kind: "unreachable" }
  /** The stage at which the listener failed: `greeting`, `starttls` (not offered) or `handshake`. */
  | { kind: "failed"; at: "greeting" | "starttls" | "handshake" }
  | { kind: "secured"; greeting: string; certificate: X509Certificate; isTrusted: boolean };

const PROBE_MS = 10_000;

export async function probeSmtp(target: ProbeTarget): Promise<ProbeResult> {
  const signal = AbortSignal.timeout(PROBE_MS);
  const plain = await connected(target, signal);
  if (plain === null) return { kind: "unreachable" };
  try {
    return await (target.isTlsAtOnce ? probeSecure(plain, target, signal) : probeStartTls(plain, target, signal));
  } finally {
    plain.destroy();
  }
}

async function connected({ host, port }: ProbeTarget, signal: AbortSignal): Promise<Socket | null> {
  const socket = connect({ host, port });
  signal.addEventListener("abort", () => socket.destroy());
  return new Promise((resolve) => {
    socket.once("connect", () => resolve(socket));
    socket.on("error", () => resolve(null));
    socket.on("close", () => resolve(null));
  });
}

async function probeStartTls(plain: Socket, target: ProbeTarget, signal: AbortSignal): Promise<ProbeResult> {
  const greeting = await reply(plain);
  if (!greeting.startsWith("220 ")) return { kind: "failed", at: "greeting" };
  const offers = await ask(plain, `EHLO ${target.serverName}`);
  if (!/^250[- ]STARTTLS\r?$/im.test(offers)) return { kind: "failed", at: "starttls" };
  if (!(await ask(plain, "STARTTLS")).startsWith("220")) return { kind: "failed", at: "starttls" };
  const secure = await handshake(plain, target, signal);
  if (secure === null) return { kind: "failed", at: "handshake" };
  const shown = secured(secure, greeting);
  await ask(secure, "QUIT");
  return shown;
}

async function probeSecure(plain: Socket, target: ProbeTarget, signal: AbortSignal): Promise<ProbeResult> {
  const secure = await handshake(plain, target, signal);
  if (secure === null) return { kind: "failed", at: "handshake" };
  const greeting = await reply(secure);
  if (!greeting.startsWith("220 ")) return { kind: "failed", at: "greeting" };
  const shown = secured(secure, greeting);
  await ask(secure, "QUIT");
  return shown;
}

function secured(socket: TLSSocket, greeting: string): ProbeResult {
  const certificate = socket.getPeerX509Certificate();
  if (certificate === undefined) return { kind: "failed", at: "handshake" };
  return { kind: "secured", greeting: greeting.trim(), certificate, isTrusted: socket.authorized };
}

function handshake(plain: Socket, { serverName }: ProbeTarget, signal: AbortSignal): Promise<TLSSocket | null> {
  // TLS does not verify the certificate, because the probe checks it after the handshake.
  const secure = connectTls({ socket: plain, servername: serverName, rejectUnauthorized: false });
  signal.addEventListener("abort", () => secure.destroy());
  return new Promise((resolve) => {
    secure.once("secureConnect", () => resolve(secure));
    secure.on("error", () => resolve(null));
    secure.on("close", () => resolve(null));
  });
}

function ask(socket: Socket, line: string): Promise<string> {
  socket.write(`${line}\r\n`);
  return reply(socket);
}

/** Reads an SMTP reply up to its last line, or what has arrived when the connection ends or 16 KiB are exceeded. */
function reply(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    const read = (chunk: Buffer) => {
      text += chunk.toString("latin1");
      if (text.length > 16_384 || /^\d{3}(?: [^\n]*|\r)?\n/m.test(text)) done();
    };
    const done = () => {
      socket.off("data", read).off("close", done);
      resolve(text);
    };
    if (socket.destroyed) return resolve(text);
    socket.on("data", read).on("close", done);
  });
}
