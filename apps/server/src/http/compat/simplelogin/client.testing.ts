/** An account with a confirmed mailbox and an API key, and clients that call with it. */
import { createHash, randomUUID } from "node:crypto";
import { type KeyScope, keyScopes } from "@kauke/contract";
import type { InjectOptions } from "fastify";
import { expect } from "vitest";
import { type Reply, startTestServer, type TestServer, Visitor } from "../../test/test-server.ts";

/** A test server that asks mailboxes for confirmation, because API keys accept only confirmed mailboxes. */
export function startKeyServer(options: Parameters<typeof startTestServer>[0] = {}): Promise<TestServer> {
  return startTestServer({ confirmation: { origin: "http://localhost:3000", domain: "kauke.test" }, ...options });
}

export class KeyHolder {
  readonly server: TestServer;
  readonly person: Visitor;
  /** A browser without cookies, for calls with an API key. */
  readonly client: Visitor;
  email = "";
  key = "";

  constructor(server: TestServer) {
    this.server = server;
    this.person = new Visitor(server);
    this.client = new Visitor(server);
  }

  async begin(email = `ann.${randomUUID()}@example.org`): Promise<this> {
    this.email = email;
    await this.person.register(email);
    await this.confirm(email);
    this.key = await this.newKey();
    return this;
  }

  /** Confirms the mailbox of the account. */
  async confirm(address: string): Promise<void> {
    const { destinations } = this.server.store;
    const tokenHash = createHash("sha256").update(randomUUID()).digest();
    const tokenExpiresAt = new Date(this.server.clock.now().getTime() + 3_600_000);
    const id = randomUUID();
    const pair = { userId: this.person.userId, address };
    await destinations.ask({ ...pair, id, tokenHash, tokenExpiresAt, isByOwner: true });
    expect((await destinations.decideByLink(tokenHash, "mine"))?.state).toBe("confirmed");
  }

  async newKey(scopes: readonly KeyScope[] = keyScopes, more: object = {}): Promise<string> {
    const { status, body } = await this.person.call("createApiKey", { body: { name: "client", scopes, ...more } });
    expect(status, JSON.stringify(body)).toBe(201);
    return body.secret;
  }

  /**
   * Makes a call with an API key.
   * @param payload sent as JSON
   */
  call(method: InjectOptions["method"], url: string, payload?: unknown, key = this.key): Promise<Reply> {
    const body = payload === undefined ? {} : { payload: JSON.stringify(payload) };
    const type = payload === undefined ? {} : { "content-type": "application/json" };
    return this.client.send({ method, url, ...body, headers: { authentication: key, ...type } });
  }
}
