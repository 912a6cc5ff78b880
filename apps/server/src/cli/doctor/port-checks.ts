import type { X509Certificate } from "node:crypto";
import { connect, type Socket } from "node:net";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { isSelfSigned } from "../../core/certificate.ts";
import type { ServerFacts } from "../control/control-protocol.ts";
import type { DnsPlan } from "../dns-plan.ts";
import { type CheckResult, checking } from "./check-result.ts";

export type PortFacts = Pick<
  ServerFacts,
  "host" | "ports" | "mailHost" | "delivery" | "publicUrl" | "services" | "pop3sPort"
>;

const DAY_MS = 86_400_000;
const SOON_DAYS = 14;
const HTTP_MS = 10_000;

export async function checkPorts(facts: PortFacts, plan: DnsPlan, now: Date): Promise<CheckResult[]> {
  const host = reachable(facts.host);
  const { http, https, mx, submission, submissions, pop3s } = facts.ports;
  const web = new URL(facts.publicUrl);
  const mail = (service: string, port: number | undefined, target: Omit<ProbeTarget, "host" | "port">) =>
    port === undefined ? null : checkMailPort(service, { host, port, ...target }, now);
  const results = await Promise.all([
    http === undefined ? null : checkHttp(host, http),
    http === undefined || https === undefined ? null : checkRedirect(host, http, web),
    https === undefined ? null : checkHttps({ host, port: https, serverName: web.hostname, isTlsAtOnce: true }, now),
    mail("mx", mx, { serverName: facts.mailHost, isTlsAtOnce: false }),
    mail("submission", submission, { serverName: plan.smtpHost, isTlsAtOnce: false }),
    mail("submissions", submissions, { serverName: plan.smtpHost, isTlsAtOnce: true }),
    pop3s === undefined
      ? checkPop3Missing(facts)
      : mail("pop3s", pop3s, { serverName: plan.smtpHost, isTlsAtOnce: true, greeting: "+OK" }),
  ]);
  return [...results.flatMap((one) => one ?? []), ...(mx === undefined ? [] : checkPort25(mx, facts))];
}

/** Loopback for a listener on all addresses. */
export function reachable(host: string): string {
  return { "::": "::1", "0.0.0.0": "127.0.0.1" }[host] ?? host;
}

async function checkHttp(host: string, port: number): Promise<CheckResult[]> {
  const { ok, fix } = checking("port", `http ${port}`);
  const status = (await get(host, port, "/healthz"))?.status ?? null;
  if (status === 200) return [ok("Web app and API accept requests.")];
  if (status === null) return [fix("Nothing answers on the HTTP port: check the server's log.")];
  return [fix("The server says that it can't accept requests: check its log.")];
}

async function get(host: string, port: number, path: string) {
  const authority = host.includes(":") ? `[${host}]` : host;
  const url = `http://${authority}:${port}${path}`;
  return fetch(url, { redirect: "manual", signal: AbortSignal.timeout(HTTP_MS) }).then(
    async (response) => {
      await response.body?.cancel();
      return response;
    },
    () => null,
  );
}

async function checkRedirect(host: string, port: number, { host: name }: URL): Promise<CheckResult[]> {
  const { ok, fix } = checking("redirect", `http ${port}`);
  const location = (await get(host, port, "/"))?.headers.get("location") ?? null;
  if (location === null) return [fix("It does not redirect to https: check that KAUKE_HTTPS is on.")];
  if (new URL(location).host === name) return [ok(`It leads to ${location}`)];
  return [fix(`It leads to ${location} instead of KAUKE_PUBLIC_URL: check the server's log.`)];
}

async function checkHttps(target: ProbeTarget, now: Date): Promise<CheckResult[]> {
  const { ok, fix } = checking("port", `https ${target.port}`);
  const signal = AbortSignal.timeout(HTTP_MS);
  const plain = await connected(target, signal);
  if (plain === null) return [fix("Nothing answers on the HTTPS port: check the server's log.")];
  const secure = await handshake(plain, target, signal);
  const certificate = secure?.getPeerX509Certificate();
  plain.destroy();
  if (secure === null || certificate === undefined) return [fix(brokenAt.handshake)];
  return [ok("It speaks TLS."), checkCertificate(certificate, { ...target, isTrusted: secure.authorized, now })];
}

function checkPop3Missing({ pop3sPort, services }: PortFacts): CheckResult[] | null {
  if (pop3sPort === null || !services.includes("submission")) return null;
  const { warn } = checking("port", `pop3s ${pop3sPort}`);
  return [
    warn(
      "It could not be opened, so mail programs that look up their settings find no incoming server: free the port, or set KAUKE_POP3S_PORT.",
    ),
  ];
}

async function checkMailPort(service: string, target: ProbeTarget, now: Date): Promise<CheckResult[]> {
  const { ok, fix } = checking("port", `${service} ${target.port}`);
  const result = await probeMailPort(target);
  if (result.kind === "unreachable") return [fix("Nothing answers on this port: check the server's log.")];
  if (result.kind === "failed") return [fix(brokenAt[result.at])];
  const certificate = checkCertificate(result.certificate, { ...target, isTrusted: result.isTrusted, now });
  return [ok("It sends a greeting and supports TLS."), certificate];
}

const brokenAt = {
  greeting: "It answers, but not with a greeting: another program may use the port, or there are too many connections.",
  starttls:
    "It does not offer STARTTLS, so mail is transmitted unencrypted: check the certificate and the server's log.",
  handshake: "The TLS handshake fails: check the certificate files and the server's log.",
} as const;

export function checkCertificate(
  certificate: X509Certificate,
  { serverName, port, isTrusted, now }: ProbeTarget & { isTrusted: boolean; now: Date },
): CheckResult {
  const { ok, warn, fix } = checking("certificate", `${serverName} ${port}`);
  const daysLeft = Math.floor((certificate.validToDate.getTime() - now.getTime()) / DAY_MS);
  const end = certificate.validToDate.toISOString().slice(0, 10);
  if (daysLeft < 0) return fix(`It expired on ${end}: renew it.`);
  if (certificate.checkHost(serverName) === undefined)
    return fix(`It does not cover ${serverName}: get one that does.`);
  if (isSelfSigned(certificate))
    return warn(
      `It is self-signed: mail still arrives, but mail programs and browsers refuse it. Set KAUKE_TLS_CERT and KAUKE_TLS_KEY.`,
    );
  if (daysLeft < SOON_DAYS) return warn(`It expires on ${end}: renew it now.`);
  if (!isTrusted) return warn("This machine does not trust it: put the whole chain into KAUKE_TLS_CERT.");
  return ok(`It covers ${serverName} and is valid until ${end}.`);
}

function checkPort25(port: number, { delivery }: PortFacts): CheckResult[] {
  if (port === 25 || delivery === "preview") return [];
  const { warn } = checking("port", `mx ${port}`);
  return [
    warn("Other hosts send mail to port 25 only: set KAUKE_MX_PORT=25, unless port 25 is forwarded to this port."),
  ];
}

export interface ProbeTarget {
  host: string;
  port: number;
  serverName: string;
  isTlsAtOnce: boolean;
  /** Start of the greeting; SMTP's by default. */
  greeting?: string;
}

export type ProbeResult =
  | { kind: "unreachable" }
  /** `starttls`: not offered. */
  | { kind: "failed"; at: "greeting" | "starttls" | "handshake" }
  | { kind: "secured"; greeting: string; certificate: X509Certificate; isTrusted: boolean };

const PROBE_MS = 10_000;

export async function probeMailPort(target: ProbeTarget): Promise<ProbeResult> {
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
  if (!greeting.startsWith(target.greeting ?? "220 ")) return { kind: "failed", at: "greeting" };
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
  // `checkCertificate` verifies the certificate after the handshake.
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

/** Reads up to the reply's last line, the end of the connection, or 16 KiB. */
function reply(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    const read = (chunk: Buffer) => {
      text += chunk.toString("latin1");
      if (text.length > 16_384 || /^(?:\d{3}(?: [^\n]*|\r)?|[+-][^\n]*)\n/m.test(text)) done();
    };
    const done = () => {
      socket.off("data", read).off("close", done);
      resolve(text);
    };
    if (socket.destroyed) return resolve(text);
    socket.on("data", read).on("close", done);
  });
}
