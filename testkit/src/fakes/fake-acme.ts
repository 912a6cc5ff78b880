/**
 * A certificate issuer (ACME) with the faults that pebble lacks: rate limits, when to renew (RFC 9773), responses that
 * make no sense. It makes accounts and refuses or forgets the rest as a test says; it issues nothing.
 */
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { testCertificate, testKey } from "../test-certificate.ts";

interface FakeResponse {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
  delayMs?: number;
}

export class FakeAcme implements AsyncDisposable {
  /** Response to a new order. */
  order: FakeResponse = problem(429, "rateLimited");
  /** Response to a new account; `null`: it is made. */
  account: FakeResponse | null = null;
  /** Window in which to renew; `null`: this issuer does not say. */
  renewal: { start: Date; end: Date } | null = null;
  /** Replaces the members of the directory. */
  directory: Record<string, string> = {};
  /** Paths of all requests. */
  readonly asked: string[] = [];
  readonly ca = testCertificate;
  readonly #server: Server;
  #nonces = 0;

  private constructor() {
    this.#server = createServer({ cert: testCertificate, key: testKey }, (request, response) => {
      request.resume();
      const path = request.url ?? "";
      this.asked.push(path);
      const { status, body, headers = {}, delayMs = 0 } = this.#respond(path);
      const nonce = `nonce-${this.#nonces++}`;
      const type = status >= 400 ? "application/problem+json" : "application/json";
      response.writeHead(status, { "replay-nonce": nonce, "content-type": type, ...headers });
      setTimeout(() => response.end(JSON.stringify(body)), delayMs);
    });
  }

  static async start(): Promise<FakeAcme> {
    const fake = new FakeAcme();
    await new Promise<void>((done) => fake.#server.listen(0, "127.0.0.1", done));
    return fake;
  }

  get url(): string {
    return `https://localhost:${(this.#server.address() as AddressInfo).port}`;
  }

  get directoryUrl(): string {
    return `${this.url}/directory`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((done) => this.#server.close(done));
  }

  #respond(path: string): FakeResponse {
    const { url } = this;
    if (path === "/directory") {
      const known = { newNonce: `${url}/nonce`, newAccount: `${url}/account`, newOrder: `${url}/order` };
      const renewal = this.renewal === null ? {} : { renewalInfo: `${url}/renewal` };
      return { status: 200, body: { ...known, ...renewal, ...this.directory } };
    }
    if (path === "/nonce") return { status: 200, body: null };
    if (path === "/account" && this.account !== null) return this.account;
    if (path === "/account")
      return { status: 201, body: { status: "valid" }, headers: { location: `${url}/account/1` } };
    if (path === "/order") return this.order;
    if (path.startsWith("/renewal/") && this.renewal !== null) {
      const suggestedWindow = { start: this.renewal.start.toISOString(), end: this.renewal.end.toISOString() };
      return { status: 200, body: { suggestedWindow }, headers: { "retry-after": "7200" } };
    }
    return problem(404, "malformed");
  }
}

export function problem(status: number, type: string, headers: Record<string, string> = {}): FakeResponse {
  const body = { type: `urn:ietf:params:acme:error:${type}`, detail: "Nothing of this may be shown" };
  return { status, body, headers };
}
