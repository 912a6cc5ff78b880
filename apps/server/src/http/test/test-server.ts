/**
 * The HTTP server on an in-memory store, and visitors that call it like browsers. Responses are validated against the
 * contract.
 */
import { randomInt } from "node:crypto";
import {
  type AdminEndpointName,
  adminEndpoints,
  type Endpoint,
  type EndpointName,
  endpoints,
  errorCodes,
  walletChallenge,
} from "@kauke/contract";
import { isProviderRun } from "@kauke/testkit/provider-run";
import type { FastifyInstance, InjectOptions } from "fastify";
import { expect } from "vitest";
import * as z from "zod";
import type { DomainDns } from "../../core/domain/domain-dns.ts";
import { engineForwarding } from "../../core/forwarding/forwarding-provider.ts";
import { SpoolSpace } from "../../core/spool/spool-space.ts";
import { aliasSources } from "../../platform/alias-sources.ts";
import { ageWorker } from "../../platform/workers/age-worker.ts";
import { argon2Hasher } from "../../platform/workers/argon2-hasher.ts";
import { leakGuardWorker } from "../../platform/workers/leak-guard-worker.ts";
import { type Clock, type LogFields, systemRandom } from "../../runtime/ports.ts";
import { openStore, type Store } from "../../store/open-store.ts";
import { buildHttpServer, type HttpConfig, type HttpServerOptions } from "../server.ts";
import { providerOfServer } from "./provider-of-server.ts";

/** A DNS that knows no name. */
const silentDns: DomainDns = {
  begin: () => ({
    txt: async () => ({ kind: "no_name" }),
    mx: async () => ({ kind: "no_name" }),
    addresses: async () => ({ kind: "no_name" as const }),
    mailHostPassesSpf: async () => null,
  }),
};

export const testDomains = ["kauke.test", "slapta.test", "vejas.test", "rukas.test"];

/** A clock that moves only when the test advances it. */
export class TestClock implements Clock {
  #now = Date.parse("2026-11-21T09:00:00Z");
  now(): Date {
    return new Date(this.#now);
  }
  advance(seconds: number): void {
    this.#now += seconds * 1000;
  }
}

export interface TestServer {
  app: FastifyInstance;
  store: Store;
  clock: TestClock;
  logged: { event: string; fields?: LogFields }[];
  counted: string[];
  close(): Promise<void>;
}

export interface TestServerOptions extends Partial<Omit<HttpServerOptions, "config">> {
  config?: Partial<HttpConfig>;
  store?: Store;
}

export async function startTestServer({ config, ...options }: TestServerOptions = {}): Promise<TestServer> {
  const clock = new TestClock();
  const opening = { databaseUrl: null, dataDir: null, secretKey: null, clock, hasProvider: isProviderRun };
  const store = options.store ?? (await openStore(opening));
  const byProvider =
    options.store === undefined && isProviderRun
      ? await providerOfServer(store, { clock, domains: testDomains })
      : null;
  // The age worker starts its process with its first job.
  const worker = ageWorker();
  const leakGuard = leakGuardWorker();
  const logged: TestServer["logged"] = [];
  const counted: string[] = [];
  const log = (event: string, fields?: LogFields) => void logged.push({ event, fields });
  const app = await buildHttpServer({
    ...store,
    clock,
    random: systemRandom,
    hasher: argon2Hasher({ memoryKib: 8, passes: 1 }),
    ageWorker: worker,
    leakGuard,
    spoolSpace: new SpoolSpace({ ...store, accountMaxBytes: 2 ** 30, disk: null, now: () => performance.now() }),
    logger: { info: log, warn: log, error: log },
    metrics: { count: (name, labels) => void counted.push(`${name} ${JSON.stringify(labels)}`), gauge: () => {} },
    isReady: () => true,
    webRoot: "/nowhere",
    messageSpreadMs: 0,
    confirmation: null,
    aliasSources,
    domainDns: silentDns,
    forwarding: byProvider?.forwarding ?? engineForwarding,
    serviceFetch: { get: async () => "failed" },
    ...options,
    config: {
      http: { host: "127.0.0.1", port: 3000 },
      submission: { host: "127.0.0.1", port: 2587 },
      submissions: { host: "127.0.0.1", port: 2465 },
      pop3s: { host: "127.0.0.1", port: 2995 },
      publicUrl: new URL("http://localhost:3000"),
      publicUrlGiven: false,
      registration: "open",
      trustedProxies: [],
      domains: testDomains,
      userDomains: 5,
      mailHost: "mail.kauke.test",
      limits: new Map(),
      undoSeconds: 6,
      maxMessageBytes: 26_214_400,
      logDays: null,
      links: { docs: "", social: "", video: "", reviews: "", feedback: "", smtpGuide: "" },
      ...config,
    },
  });
  const close = async () => {
    await byProvider?.close();
    await app.close();
    await worker.close();
    await leakGuard.close();
    if (options.store === undefined) await store.close();
  };
  return { app, store, clock, logged, counted, close };
}

const problem = z.strictObject({
  success: z.literal(false).optional(),
  message: z.string().min(1),
  code: z.enum(errorCodes),
  errors: z.record(z.string(), z.array(z.string().min(1)).min(1)).optional(),
  places: z.array(z.strictObject({ field: z.string(), start: z.number(), end: z.number() })).optional(),
  rateLimited: z.literal(true).optional(),
  resetTime: z.iso.datetime().optional(),
  challenge: z.strictObject(walletChallenge.shape).optional(),
});

export interface CallInput {
  params?: Record<string, string>;
  body?: unknown;
  query?: Record<string, string>;
  headers?: Record<string, string>;
}

export interface Reply {
  status: number;
  /** The body is untyped on purpose: each test reads the form that it expects, and fails if the body has another. */
  body: any;
  headers: Record<string, unknown>;
}

/** Every call of the contract, those of the admin page included. */
export const everyEndpoint: Readonly<Record<EndpointName | AdminEndpointName, Endpoint>> = {
  ...endpoints,
  ...adminEndpoints,
};

/** A browser with its own cookie jar and IP address. */
export class Visitor {
  readonly #server: TestServer;
  cookies = new Map<string, string>();
  address = `10.${randomInt(256)}.${randomInt(256)}.${randomInt(256)}`;
  userId = "";

  constructor(server: TestServer) {
    this.#server = server;
  }

  async send(options: InjectOptions): Promise<Reply> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const headers = { ...(cookie !== "" && { cookie }), ...options.headers };
    const answer = await this.#server.app.inject({ remoteAddress: this.address, ...options, headers });
    for (const { name, value, maxAge } of answer.cookies) {
      if (maxAge === 0) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    const isJson = answer.body !== "" && String(answer.headers["content-type"]).startsWith("application/json");
    return { status: answer.statusCode, headers: answer.headers, body: isJson ? answer.json() : answer.body };
  }

  /** Makes a call of the contract and validates the response. */
  async call(name: EndpointName | AdminEndpointName, { params, body, query, headers }: CallInput = {}): Promise<Reply> {
    const endpoint = everyEndpoint[name];
    const ids: Record<string, string> = { userId: this.userId, ...params };
    const path = endpoint.path.replace(/:(\w+)/g, (_, id: string) => encodeURIComponent(ids[id] ?? ""));
    const url = query === undefined ? path : `${path}?${new URLSearchParams(query).toString()}`;
    const payload = body === undefined ? undefined : JSON.stringify(body);
    const type = payload === undefined ? {} : { "content-type": "application/json" };
    const reply = await this.send({ method: endpoint.method, url, payload, headers: { ...type, ...headers } });
    if (reply.status < 300) {
      expect(reply.status).toBe(endpoint.status);
      expect(endpoint.response.parse(reply.body)).toEqual(reply.body);
    } else {
      problem.parse(reply.body);
      expect("success" in reply.body).toBe(endpoint.hasSuccessField === true);
    }
    return reply;
  }

  async register(email = `someone.${systemRandom.uuid()}@example.org`, password = "correct horse"): Promise<this> {
    const { status, body } = await this.call("register", { body: { email, password } });
    expect(status).toBe(201);
    this.userId = body.user.id;
    return this;
  }

  async createAlias(body: Record<string, unknown> = {}): Promise<Reply["body"]> {
    const alias = `a${systemRandom.uuid().slice(0, 8)}`;
    const whole = { alias, domain: "kauke.test", forwardTo: "ann@example.org", ...body };
    const reply = await this.call("createAlias", { body: whole });
    expect(reply.status, JSON.stringify(reply.body)).toBe(201);
    return reply.body;
  }
}
