/** Signed requests to a certificate issuer (ACME, RFC 8555), one at a time. */
import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { request as requestHttps } from "node:https";
import { collectStream } from "../../runtime/byte-streams.ts";

/**
 * - `unreachable`: no complete response, or a server error
 * - `rate_limited`: too many orders or failures; `retryAfterMs` if the issuer says for how long
 * - `account_gone`: the account was deactivated or is unknown
 * - `response_invalid`: the response is not what RFC 8555 says
 */
export type AcmeFailure = "unreachable" | "rate_limited" | "account_gone" | "refused" | "response_invalid";

export class AcmeError extends Error {
  override readonly name = "AcmeError";
  readonly code: AcmeFailure;
  /** Host names that the issuer rejected (RFC 8555 §6.7.1). */
  readonly hosts: readonly string[];
  readonly retryAfterMs: number | null;

  constructor(
    code: AcmeFailure,
    { hosts = [], retryAfterMs = null }: { hosts?: string[]; retryAfterMs?: number | null } = {},
  ) {
    super(code);
    this.code = code;
    this.hosts = hosts;
    this.retryAfterMs = retryAfterMs;
  }
}

export interface AcmeResponse {
  body: unknown;
  /** The raw body; a certificate chain is PEM, not JSON. */
  text: string;
  location: string | null;
  retryAfterMs: number | null;
}

export interface AcmeClientOptions {
  directoryUrl: string;
  accountKey: string;
  /** URL of the account; `null` before it exists. */
  accountUrl: string | null;
  signal: AbortSignal;
  /** Root certificates (PEM) that replace Node's, for a private issuer. */
  ca?: string | undefined;
}

interface Directory {
  newNonce: string;
  newAccount: string;
  newOrder: string;
  /** RFC 9773; `null` if the issuer lacks it. */
  renewalInfo: string | null;
}

const RESPONSE_MAX_BYTES = 256 * 1024;
const REQUEST_MS = 20_000;
/** An issuer may reject a nonce; its refusal carries a new one (RFC 8555 §6.5). */
const NONCE_TRIES = 5;

export class AcmeClient {
  readonly #options: AcmeClientOptions;
  readonly #key: KeyObject;
  readonly #jwk: Readonly<Record<string, string>>;
  #accountUrl: string | null;
  #directory: Promise<Directory> | null = null;
  #nonce: string | null = null;

  constructor(options: AcmeClientOptions) {
    this.#options = options;
    this.#accountUrl = options.accountUrl;
    this.#key = createPrivateKey(options.accountKey);
    const { crv, kty, x, y } = createPublicKey(this.#key).export({ format: "jwk" });
    // Members in alphabetical order, as the thumbprint of RFC 7638 requires.
    this.#jwk = { crv: String(crv), kty: String(kty), x: String(x), y: String(y) };
  }

  get accountUrl(): string | null {
    return this.#accountUrl;
  }

  /** Creates the account, or finds it by its key. @throws AcmeError */
  async openAccount(contact: string | null): Promise<string> {
    const { newAccount } = await this.directory();
    const request = { termsOfServiceAgreed: true, ...(contact !== null && { contact: [`mailto:${contact}`] }) };
    const { location } = await this.post(newAccount, request);
    if (location === null) throw new AcmeError("response_invalid");
    this.#accountUrl = location;
    return location;
  }

  /** @param payload `null` reads the resource (POST-as-GET, RFC 8555 §6.3) @throws AcmeError */
  async post(url: string, payload: unknown): Promise<AcmeResponse> {
    for (let left = NONCE_TRIES; ; left -= 1) {
      const nonce = this.#nonce ?? (await this.#freshNonce());
      this.#nonce = null;
      const response = await this.#send("POST", url, JSON.stringify(this.#signed(url, payload, nonce)));
      this.#nonce = fieldOf(response, "replay-nonce");
      const read = await readResponse(response);
      if (isSuccess(response)) return read;
      if (typeOf(read.body) !== "badNonce" || left <= 1) throw failureOf(response.statusCode ?? 0, read);
    }
  }

  async directory(): Promise<Directory> {
    this.#directory ??= this.get(this.#options.directoryUrl).then(({ body }) => directoryIn(body));
    return await this.#directory;
  }

  /** An unsigned request, for the directory and renewal information. @throws AcmeError */
  async get(url: string): Promise<AcmeResponse> {
    const response = await this.#send("GET", url);
    const read = await readResponse(response);
    if (!isSuccess(response)) throw failureOf(response.statusCode ?? 0, read);
    return read;
  }

  /** Proof for a challenge: its token and the account key's thumbprint (RFC 8555 §8.1). */
  keyAuthorization(token: string): string {
    return `${token}.${createHash("sha256").update(JSON.stringify(this.#jwk)).digest("base64url")}`;
  }

  async #freshNonce(): Promise<string> {
    const { newNonce } = await this.directory();
    const response = await this.#send("HEAD", newNonce);
    response.resume();
    const nonce = fieldOf(response, "replay-nonce");
    if (nonce === null) throw new AcmeError("response_invalid");
    return nonce;
  }

  /** A flattened JWS (RFC 8555 §6.2). The account's first request carries its public key. */
  #signed(url: string, payload: unknown, nonce: string) {
    const signer = this.#accountUrl === null ? { jwk: this.#jwk } : { kid: this.#accountUrl };
    const protectedHeader = base64Json({ alg: "ES256", nonce, url, ...signer });
    const content = payload === null ? "" : base64Json(payload);
    const key = { key: this.#key, dsaEncoding: "ieee-p1363" as const };
    const signature = sign("sha256", Buffer.from(`${protectedHeader}.${content}`), key).toString("base64url");
    return { protected: protectedHeader, payload: content, signature };
  }

  #send(method: string, url: string, body?: string): Promise<IncomingMessage> {
    const { ca, signal } = this.#options;
    return new Promise((resolve, reject) => {
      if (!URL.canParse(url) || !url.startsWith("https://")) return reject(new AcmeError("response_invalid"));
      const call = requestHttps(url, {
        method,
        agent: false,
        signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_MS)]),
        ...(ca !== undefined && { ca }),
        headers: { "user-agent": "Kauke", ...(body !== undefined && { "content-type": "application/jose+json" }) },
      });
      call.on("response", resolve);
      call.on("error", () => reject(new AcmeError("unreachable")));
      call.end(body);
    });
  }
}

async function readResponse(response: IncomingMessage): Promise<AcmeResponse> {
  const chunks = await collectStream(response, RESPONSE_MAX_BYTES);
  if (chunks === null) throw new AcmeError("unreachable");
  const text = Buffer.concat(chunks).toString();
  const isJson = /json/.test(fieldOf(response, "content-type") ?? "");
  return {
    body: isJson ? jsonOrNull(text) : null,
    text,
    location: fieldOf(response, "location"),
    retryAfterMs: retryAfter(fieldOf(response, "retry-after")),
  };
}

function directoryIn(body: unknown): Directory {
  const read = (name: string) => textIn(body, name);
  const [newNonce, newAccount, newOrder] = [read("newNonce"), read("newAccount"), read("newOrder")];
  if (newNonce === null || newAccount === null || newOrder === null) throw new AcmeError("response_invalid");
  return { newNonce, newAccount, newOrder, renewalInfo: read("renewalInfo") };
}

/** Translates a problem document (RFC 8555 §6.7); drops its text, which nobody has checked. */
function failureOf(status: number, { body, retryAfterMs }: AcmeResponse): AcmeError {
  const type = typeOf(body);
  if (type === "rateLimited" || status === 429) return new AcmeError("rate_limited", { retryAfterMs });
  if (type === "accountDoesNotExist" || type === "unauthorized") return new AcmeError("account_gone");
  if (type === "serverInternal" || status >= 500 || status < 300) return new AcmeError("unreachable", { retryAfterMs });
  return new AcmeError("refused", { hosts: refusedHosts(body) });
}

function refusedHosts(body: unknown): string[] {
  const parts = (body as { subproblems?: unknown } | null)?.subproblems;
  if (!Array.isArray(parts)) return [];
  return parts.flatMap((part: { identifier?: unknown }) => textIn(part?.identifier, "value") ?? []);
}

function typeOf(body: unknown): string | null {
  return /^urn:ietf:params:acme:error:(\w+)$/.exec(textIn(body, "type") ?? "")?.[1] ?? null;
}

export function textIn(body: unknown, name: string): string | null {
  const value = typeof body === "object" && body !== null ? (body as Record<string, unknown>)[name] : null;
  return typeof value === "string" ? value : null;
}

const WAIT_MAX_MS = 7 * 86_400_000;

/** Milliseconds of a Retry-After field: seconds or a date (RFC 9110 §10.2.3). */
function retryAfter(text: string | null): number | null {
  if (text === null) return null;
  const waitMs = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isNaN(waitMs) ? null : Math.min(Math.max(0, waitMs), WAIT_MAX_MS);
}

function fieldOf({ headers }: IncomingMessage, name: string): string | null {
  const value = headers[name];
  return typeof value === "string" ? value : null;
}

function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const base64Json = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
const isSuccess = ({ statusCode = 0 }: IncomingMessage) => statusCode >= 200 && statusCode <= 299;
