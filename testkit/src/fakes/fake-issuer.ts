/**
 * A federated sign-in issuer on loopback: discovery, authorization without a page, codes with PKCE, signed ID tokens.
 * Tests set the person's claims and the faults, and can inspect all requests.
 */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Events, OAuth2Issuer, OAuth2Service } from "oauth2-mock-server";

export interface FakeIssuerClaims {
  sub: string;
  email?: string;
  email_verified?: unknown;
  given_name?: string;
  family_name?: string;
  picture?: string;
  /** Claims that override those the issuer would set: `nonce`, `aud`, `iss`, `exp`. */
  [claim: string]: unknown;
}

export class FakeIssuer implements AsyncDisposable {
  claims: FakeIssuerClaims = { sub: "1" };
  /** Claims returned by the userinfo endpoint and left out of the ID token. */
  userinfo: Record<string, unknown> | null = null;
  /** Error code with which the person refuses the authorization; `null` when the person consents. */
  refusal: string | null = null;
  /** Behaviour of discovery. `down`: answers 500; `silent`: never answers; `other`: names a different issuer. */
  discovery: "ok" | "down" | "silent" | "other" = "ok";
  /** Methods of client authentication that the discovery document states; it states none if undefined. */
  secretMethods: string[] | undefined = ["client_secret_basic", "client_secret_post"];
  /** Whether ID tokens get an invalid signature. */
  isForged = false;
  /** Authorization codes issued, in order. */
  readonly codes: string[] = [];
  readonly tokens: string[] = [];
  readonly verifiers: string[] = [];
  /** Where each token request contained the client secret. */
  readonly secretsIn: ("header" | "body" | "nowhere")[] = [];
  /** Query parameters of all requests to the authorization endpoint. */
  readonly asked: URLSearchParams[] = [];
  /** Path and response status of all requests. */
  readonly answered: { path: string; status: number }[] = [];
  readonly #issuer = new OAuth2Issuer();
  readonly #service = new OAuth2Service(this.#issuer);
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      const path = new URL(request.url ?? "/", "http://issuer").pathname;
      const isDiscovery = path.startsWith("/.well-known/");
      response.on("finish", () => void this.answered.push({ path, status: response.statusCode }));
      if (isDiscovery && this.discovery === "silent") return;
      if (isDiscovery && this.discovery === "down") return void response.writeHead(500).end();
      this.#service.requestHandler(request, response);
    });
    this.#listen();
  }

  static async start(): Promise<FakeIssuer> {
    const issuer = new FakeIssuer();
    await issuer.#issuer.keys.generate("RS256");
    await new Promise<void>((done) => issuer.#server.listen(0, "127.0.0.1", done));
    issuer.#issuer.url = issuer.url;
    return issuer;
  }

  /** Issuer URL, for `KAUKE_GOOGLE_ISSUER`. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Settings of a server that offers sign-in with this issuer. */
  get env(): Record<string, string> {
    const client = { KAUKE_GOOGLE_CLIENT_ID: "kauke-client", KAUKE_GOOGLE_CLIENT_SECRET: "kauke-client-secret" };
    return { ...client, KAUKE_GOOGLE_ISSUER: this.url };
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((done) => this.#server.close(() => done()));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #listen(): void {
    this.#service.on(Events.BeforeWellKnownOpenIdConfiguration, (answer) => {
      Object.assign(answer.body as object, { token_endpoint_auth_methods_supported: this.secretMethods });
      if (this.discovery === "other") Object.assign(answer.body as object, { issuer: "https://issuer.example" });
    });
    this.#service.on(Events.BeforeAuthorizeRedirect, ({ url }, request) => {
      this.asked.push(new URL(request.url ?? "/", "http://issuer").searchParams);
      this.codes.push(url.searchParams.get("code") ?? "");
      if (this.refusal === null) return;
      url.searchParams.delete("code");
      url.searchParams.set("error", this.refusal);
      url.searchParams.set("error_description", "Nothing of this may be shown");
    });
    this.#service.on(Events.BeforeTokenSigning, ({ payload }, { body }) => {
      // The access token, recognizable by its scope, is signed before the ID token.
      if (!("scope" in payload)) Object.assign(payload, this.claims);
      if (body.code_verifier !== undefined) this.verifiers.push(body.code_verifier);
    });
    this.#service.on(Events.BeforeResponse, ({ body }, request) => {
      const inBody = "client_secret" in request.body ? "body" : "nowhere";
      this.secretsIn.push(request.headers.authorization === undefined ? inBody : "header");
      const tokens = body as { id_token?: string; access_token: string };
      if (this.isForged) tokens.id_token = tokens.id_token?.replace(/[^.]+$/, (signature) => reversed(signature));
      this.tokens.push(tokens.access_token, tokens.id_token ?? "");
    });
    this.#service.on(Events.BeforeUserinfo, (answer) => {
      answer.body = { sub: this.claims.sub, ...this.userinfo };
    });
  }
}

const reversed = (text: string) => [...text].reverse().join("");
