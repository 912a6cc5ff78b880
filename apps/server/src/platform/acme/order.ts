/** One order for a certificate (RFC 8555 §7.4). Each step is recorded first, so that a kill causes no second order. */
import { createPrivateKey, generateKeyPairSync, X509Certificate } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { createSecureContext } from "node:tls";
import type { CertificatePair } from "../self-signed.ts";
import { type AcmeClient, AcmeError, textIn } from "./acme-client.ts";
import { certificateRequest } from "./certificate-request.ts";

export interface OpenOrder {
  url: string;
  hosts: readonly string[];
  key: string;
}

/** A file at port 80 (RFC 8555 §8.3), or a certificate at port 443 (RFC 8737). */
export type ChallengeType = "http-01" | "tls-alpn-01";

export interface ShownChallenge {
  type: ChallengeType;
  host: string;
  token: string;
  keyAuthorization: string;
}

export interface OrderPorts {
  /** Resolves when everybody can see the challenge. */
  showChallenge(challenge: ShownChallenge): Promise<void>;
  /** Preferred way to prove a name; the other one is used if the issuer does not offer it. */
  wayFor(host: string): ChallengeType;
  recordOrder(order: OpenOrder): Promise<void>;
}

/** Milliseconds between two polls of the order, unless the issuer sends Retry-After. */
const LOOK_AGAIN_MS = 1000;
const LOOK_AGAIN_MAX_MS = 30_000;

/** @param open an earlier process's order @throws AcmeError; `refused` with `hosts` that don't lead to this server */
export async function orderCertificate(
  client: AcmeClient,
  { hosts, open, signal }: { hosts: readonly string[]; open: OpenOrder | null; signal: AbortSignal },
  ports: OrderPorts,
): Promise<CertificatePair> {
  const order = open ?? (await newOrder(client, hosts, ports));
  const shown = new Set<string>();
  for (;;) {
    const { body, retryAfterMs } = await client.post(order.url, null);
    const status = textIn(body, "status");
    const waitMs = Math.max(retryAfterMs ?? 0, LOOK_AGAIN_MS);
    if (status === "invalid") throw new AcmeError("refused", { hosts: await refusedHosts(client, body) });
    if (status === "valid") return await fetchChain(client, order, body);
    if (status === "ready") await finalize(client, order, body);
    else if (status === "pending") await showChallenges(client, body, { shown, ports });
    else if (status !== "processing") throw new AcmeError("response_invalid");
    await pause(Math.min(waitMs, LOOK_AGAIN_MAX_MS), undefined, { signal }).catch(() => {
      throw new AcmeError("unreachable");
    });
  }
}

async function newOrder(client: AcmeClient, hosts: readonly string[], ports: OrderPorts): Promise<OpenOrder> {
  const { newOrder: url } = await client.directory();
  const identifiers = hosts.map((value) => ({ type: "dns", value }));
  const { location } = await client.post(url, { identifiers });
  if (location === null) throw new AcmeError("response_invalid");
  const order = { url: location, hosts, key: newEcKey() };
  await ports.recordOrder(order);
  return order;
}

export function newEcKey(): string {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return privateKey.export({ type: "pkcs8", format: "pem" }).toString();
}

async function showChallenges(
  client: AcmeClient,
  order: unknown,
  { shown, ports }: { shown: Set<string>; ports: OrderPorts },
): Promise<void> {
  for (const url of authorizationsOf(order)) {
    const { body } = await client.post(url, null);
    const status = textIn(body, "status");
    if (status === "valid") continue;
    if (status !== "pending") throw new AcmeError("refused", { hosts: hostOf(body) });
    const [host = ""] = hostOf(body);
    const challenge = challengeIn(body, ports.wayFor(host));
    if (challenge === null) throw new AcmeError("refused", { hosts: hostOf(body) });
    const { token, type } = challenge;
    if (shown.has(token) || challenge.status !== "pending") continue;
    shown.add(token);
    await ports.showChallenge({ type, host, token, keyAuthorization: client.keyAuthorization(token) });
    await client.post(challenge.url, {});
  }
}

async function finalize(client: AcmeClient, { hosts, key }: OpenOrder, body: unknown): Promise<void> {
  const url = textIn(body, "finalize");
  if (url === null) throw new AcmeError("response_invalid");
  await client.post(url, { csr: certificateRequest(hosts, key).toString("base64url") });
}

async function fetchChain(client: AcmeClient, { hosts, key }: OpenOrder, body: unknown): Promise<CertificatePair> {
  const url = textIn(body, "certificate");
  if (url === null) throw new AcmeError("response_invalid");
  const { text: cert } = await client.post(url, null);
  if (!fits({ cert, key }, hosts)) throw new AcmeError("response_invalid");
  return { cert, key };
}

function fits({ cert, key }: CertificatePair, hosts: readonly string[]): boolean {
  try {
    const certificate = new X509Certificate(cert);
    const hasAll = hosts.every((host) => certificate.checkHost(host) !== undefined);
    // Throws for a chain that no listener could serve.
    createSecureContext({ cert, key });
    return hasAll && certificate.checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}

/** Names whose authorization the issuer found invalid. */
async function refusedHosts(client: AcmeClient, order: unknown): Promise<string[]> {
  const hosts: string[] = [];
  for (const url of authorizationsOf(order)) {
    const { body } = await client.post(url, null);
    if (textIn(body, "status") === "invalid") hosts.push(...hostOf(body));
  }
  return hosts;
}

function authorizationsOf(order: unknown): string[] {
  const urls = (order as { authorizations?: unknown } | null)?.authorizations;
  return Array.isArray(urls) ? urls.filter((url): url is string => typeof url === "string") : [];
}

function hostOf(authorization: unknown): string[] {
  const host = textIn((authorization as { identifier?: unknown } | null)?.identifier, "value");
  return host === null ? [] : [host];
}

interface OfferedChallenge {
  type: ChallengeType;
  url: string;
  token: string;
  status: string;
}

function challengeIn(authorization: unknown, wanted: ChallengeType): OfferedChallenge | null {
  const challenges = (authorization as { challenges?: unknown } | null)?.challenges;
  const offered = Array.isArray(challenges) ? challenges.flatMap((one) => readChallenge(one) ?? []) : [];
  return offered.find(({ type }) => type === wanted) ?? offered[0] ?? null;
}

function readChallenge(offered: unknown): OfferedChallenge | null {
  const [type, url, token, status] = ["type", "url", "token", "status"].map((name) => textIn(offered, name));
  if (type !== "http-01" && type !== "tls-alpn-01") return null;
  // The token becomes part of a path (RFC 8555 §8.1: at least 128 bits in base64url).
  if (!url || !status || !token || !/^[\w-]{22,128}$/.test(token)) return null;
  return { type, url, token, status };
}
