/**
 * Forward Email's REST interface on loopback, written from its published sources: account, domains, aliases, e-mails.
 * Tests see what is stored, every change and every call, set faults, and assert that `violations` is empty.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { domainToUnicode } from "node:url";
import { aliasRoutes, blank } from "./fake-forward-email-aliases.ts";
import { domainRoutes } from "./fake-forward-email-domains.ts";
import { emailRoutes } from "./fake-forward-email-emails.ts";
import type { FakeFault } from "./fake-forward-email-faults.ts";
import { sendHuge, sendResponse, sendSlowly, withOtherId } from "./fake-forward-email-faults.ts";
import { violationsOf } from "./fake-forward-email-rules.ts";
import type {
  FakeAlias,
  FakeChange,
  FakeDomain,
  FakeEmail,
  FakeEmailStatus,
  FakeRejection,
  FakeRequest,
  FakeResponse,
} from "./fake-forward-email-store.ts";
import { FakeProviderStore, LimitReached, newId, Refusal } from "./fake-forward-email-store.ts";

export interface FakeCall {
  method: string;
  /** Without the query. */
  path: string;
  query: string;
  /** Parsed; `null` if there was none. */
  body: unknown;
  /** Of the response that was sent; 0 while there is none, and if the connection was closed without one. */
  status: number;
  hasAuthorization: boolean;
  acceptLanguage: string;
  /** Milliseconds since 1970. */
  at: number;
}

export interface FakeForwardEmailOptions {
  key?: string;
  /** Domains of the account, with all records and allowed to send. */
  domains?: readonly string[];
  /** `free` (the interface responds 402), `enhanced_protection` (default) or `team`. */
  plan?: string;
}

type DecideFault = (call: { method: string; path: string; body: unknown }) => FakeFault | null;

const routes = [...domainRoutes, ...emailRoutes, ...aliasRoutes];

export class FakeForwardEmail implements AsyncDisposable {
  readonly key: string;
  /** Account, clock, limits and other settings of the provider. */
  readonly store = new FakeProviderStore();
  readonly calls: FakeCall[] = [];
  /** What the provider would let pass and a careful client does not send, a sentence each. */
  readonly violations: string[] = [];
  checkSchemas = true;
  /** Whether `Retry-After` is a delay in seconds, or the second of the reset since 1970, as in one library. */
  retryAfter: "delay" | "time" = "delay";
  #decide: DecideFault = () => null;
  readonly #server: Server;
  readonly #delayed = new Set<NodeJS.Timeout>();
  #idle: (() => void)[] = [];

  private constructor({ key = "provider-key", domains = ["kauke.example"], plan }: FakeForwardEmailOptions) {
    this.key = key;
    if (plan !== undefined) this.store.account.plan = plan;
    for (const name of domains) this.store.addDomain(name, true);
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  static async start(options: FakeForwardEmailOptions = {}): Promise<FakeForwardEmail> {
    const provider = new FakeForwardEmail(options);
    await new Promise<void>((done) => provider.#server.listen(0, "127.0.0.1", done));
    return provider;
  }

  /** Origin, without a final slash. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get emails(): readonly FakeEmail[] {
    return this.store.emails;
  }

  /** Every change of what an address does, in order. */
  get history(): readonly FakeChange[] {
    return this.store.history;
  }

  aliases(domain: string): readonly FakeAlias[] {
    const stored = domainToUnicode(domain);
    return this.store.aliases.filter((alias) => alias.domain === stored);
  }

  alias(address: string): FakeAlias | undefined {
    const [name = "", domain = ""] = address.split("@");
    return this.aliases(domain).find((alias) => alias.name === name);
  }

  /** Creates or changes an alias as somebody else at the provider would. */
  putAlias(address: string, fields: Partial<FakeAlias> = {}): FakeAlias {
    const [name = "", domain = ""] = address.split("@");
    const now = new Date(this.store.now());
    const former = this.alias(address) ?? {
      ...blank,
      id: newId(),
      name,
      domain: domainToUnicode(domain),
      createdAt: now,
    };
    const alias = { ...former, updatedAt: now, ...fields };
    this.store.saveAlias(alias);
    return alias;
  }

  /** Deletes an alias as somebody else at the provider would. */
  removeAlias(address: string): void {
    const alias = this.alias(address);
    if (alias !== undefined) this.store.deleteAlias(alias);
  }

  /** The record itself, to be changed by the test. */
  domain(name: string): FakeDomain {
    const domain = this.store.findDomain(domainToUnicode(name));
    if (domain === undefined) throw new Error(`no domain ${name}`);
    return domain;
  }

  /** Changes what became of an e-mail. All recipients accepted it if it is sent; otherwise those of `errors` did not. */
  setEmailStatus(id: string, status: FakeEmailStatus, errors: readonly FakeRejection[] = []): void {
    const email = this.store.emails.find((one) => one.id === id);
    if (email === undefined) throw new Error(`no e-mail ${id}`);
    const refused = errors.map(({ recipient }) => recipient);
    const isOver = status === "sent" || status === "partially_sent";
    const accepted = isOver ? email.envelope.to.filter((one) => !refused.includes(one)) : [];
    Object.assign(email, { status, accepted, rejectedErrors: [...errors] });
  }

  /** Recipients of a message to this address at this moment. A disabled alias has none; an absent one is the catch-all's. */
  forwardsTo(address: string): readonly string[] {
    const alias = this.alias(address);
    if (alias?.is_enabled === false) return [];
    if (alias !== undefined && alias.recipients.length > 0) return alias.recipients;
    return this.alias(`*@${address.split("@")[1]}`)?.recipients ?? [];
  }

  /** Recipients to which the alias itself forwarded at some time from `at` on. */
  reachedSince(address: string, at: number): readonly string[] {
    const changes = this.history.filter((change) => change.address === address);
    const before = changes.filter((change) => change.at <= at).slice(-1);
    const relevant = [...before, ...changes.filter((change) => change.at > at)];
    return [...new Set(relevant.flatMap(({ isEnabled, recipients }) => (isEnabled ? recipients : [])))];
  }

  /** From now on, each call gets the fault that this function returns for it, if any. */
  faultFor(decide: DecideFault): void {
    this.#decide = decide;
  }

  /** Resolves once no work is waiting for a `late` or `slow` fault. */
  async settled(): Promise<void> {
    while (this.#delayed.size > 0) await new Promise<void>((done) => this.#idle.push(done));
  }

  async close(): Promise<void> {
    for (const timer of this.#delayed) clearTimeout(timer);
    this.#delayed.clear();
    for (const done of this.#idle.splice(0)) done();
    this.#server.closeAllConnections();
    await new Promise<void>((done) => this.#server.close(() => done()));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #serve(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(message.url ?? "/", "http://provider");
    const read = await bodyOf(message).catch(() => undefined);
    if (read === undefined) return;
    const request: FakeRequest = {
      method: message.method ?? "",
      path: url.pathname,
      query: url.searchParams,
      body: read,
    };
    const { method, path, body } = request;
    const { authorization, "accept-language": acceptLanguage = "" } = message.headers;
    const hasAuthorization = authorization !== undefined;
    const call = { method, path, query: url.search, body, status: 0, hasAuthorization, acceptLanguage, at: Date.now() };
    this.calls.push(call);
    if (this.checkSchemas) this.violations.push(...violationsOf(routeOf(request), request, message.headers));
    const work = () => this.#work(request, authorization, acceptLanguage);
    this.#respond(response, this.#decide({ method, path, body }), { call, work });
  }

  #respond(
    response: ServerResponse,
    fault: FakeFault | null,
    { call, work }: { call: FakeCall; work: () => FakeResponse },
  ): void {
    const noted = (result: FakeResponse) => {
      call.status = result.status;
      return result;
    };
    const send = (result: FakeResponse) => sendResponse(response, noted(result));
    switch (fault?.kind) {
      case undefined:
        return send(work());
      case "status": {
        const plain = { statusCode: fault.status, error: "Error", message: `${call.method} ${call.path}` };
        return send({ ...fault, body: fault.body ?? plain });
      }
      case "slow": {
        const result = work();
        return this.#later(fault.ms, () => send(result));
      }
      case "lost":
        work();
        return void response.destroy();
      case "dropped":
        return void response.destroy();
      case "late":
        response.destroy();
        return this.#later(fault.ms, work);
      case "twice":
        work();
        return send(work());
      case "redirect":
        return send({ status: fault.status ?? 307, body: "", headers: { location: fault.to } });
      case "type": {
        const headers = { "content-type": fault.contentType };
        return send({ status: fault.status ?? 200, body: fault.body, headers });
      }
      case "huge":
        call.status = 200;
        return sendHuge(response, fault.bytes);
      case "drip":
        return sendSlowly(response, noted(work()), fault.bytesPerSecond);
      case "otherId": {
        const result = work();
        return send(withOtherId(result, this.#otherThan(result.body)));
      }
    }
  }

  /** An alias that the body does not contain, or one that does not exist. */
  #otherThan(body: unknown): { id: string; name: string } {
    const text = JSON.stringify(body);
    const other = this.store.aliases.find(({ id }) => !text.includes(id));
    return { id: other?.id ?? newId(), name: other?.name ?? "somebody-else" };
  }

  #later(ms: number, act: () => unknown): void {
    const timer = setTimeout(() => {
      this.#delayed.delete(timer);
      act();
      if (this.#delayed.size === 0) for (const done of this.#idle.splice(0)) done();
    }, ms);
    this.#delayed.add(timer);
  }

  #work(request: FakeRequest, authorization: string | undefined, language: string): FakeResponse {
    const route = routeOf(request);
    try {
      this.#checkAccount(authorization);
      if (route === undefined) throw new Refusal(404, "route");
      const [, ...parameters] = (route.path.exec(request.path) ?? []).map(decodeURIComponent);
      return route.carryOut(this.store, request, ...parameters);
    } catch (error) {
      if (error instanceof LimitReached) return this.#limited(error.resetAt);
      if (!(error instanceof Refusal)) throw error;
      const { status } = error;
      const body = { statusCode: status, error: statusNames[status], message: error.text(/^en\b/.test(language)) };
      return { status, body };
    }
  }

  #checkAccount(authorization: string | undefined): void {
    const { account } = this.store;
    const expected = `Basic ${Buffer.from(`${this.key}:`).toString("base64")}`;
    if (authorization !== expected) throw new Refusal(401, "key");
    if (!account.isVerified) throw new Refusal(401, "unverified");
    if (account.isBanned) throw new Refusal(403, "banned");
    if (account.plan === "free") throw new Refusal(402, "plan");
  }

  #limited(resetAt: number): FakeResponse {
    const delayMs = resetAt - this.store.now();
    const retryAfter = this.retryAfter === "time" ? String(resetAt / 1000) : String(Math.ceil(delayMs / 1000));
    const headers = {
      "retry-after": retryAfter,
      "x-ratelimit-remaining": "0",
      "x-ratelimit-reset": String(resetAt / 1000),
    };
    return { status: 429, body: `Too many calls, try again in ${delayMs} ms.`, headers };
  }
}

const statusNames: Record<number, string> = {
  400: "Bad Request",
  401: "Unauthorized",
  402: "Payment Required",
  403: "Forbidden",
  404: "Not Found",
};

function routeOf({ method, path }: FakeRequest) {
  return routes.find((route) => route.method === method && route.path.test(path));
}

/** @throws if the client closes the connection before the body's end */
async function bodyOf(message: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  if (text === "") return null;
  if (/urlencoded/.test(message.headers["content-type"] ?? "")) return Object.fromEntries(new URLSearchParams(text));
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
