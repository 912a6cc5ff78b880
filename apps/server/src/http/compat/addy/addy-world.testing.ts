/** A server and users with API keys, for the tests of the calls of addy.io's clients. */
import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { type KeyScope, keyScopes } from "@kauke/contract";
import type { InjectOptions } from "fastify";
import { expect } from "vitest";
import * as z from "zod";
import { confirmMailboxInStore } from "../../api-keys/api-keys.testing.ts";
import {
  type Reply,
  startTestServer,
  type TestServer,
  type TestServerOptions,
  Visitor,
} from "../../test/test-server.ts";

const confirmation = { origin: "http://localhost:3000", domain: "kauke.test" };

/** A test server that asks mailboxes for confirmation, as a public server does. */
export const startAddyServer = (options: TestServerOptions = {}) => startTestServer({ confirmation, ...options });

/** A user with a confirmed mailbox, and a client that has an API key of this user. */
export interface AddyPerson {
  visitor: Visitor;
  userId: string;
  mailbox: string;
  key: string;
  /** Makes a call as a client with an API key. */
  ask(method: string, url: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>;
}

export async function newAddyKey(visitor: Visitor, scopes: readonly KeyScope[] = keyScopes, more: object = {}) {
  const { status, body } = await visitor.call("createApiKey", { body: { name: "a client", scopes, ...more } });
  expect(status, JSON.stringify(body)).toBe(201);
  return body as { key: { id: string }; secret: string };
}

export async function newPerson(server: TestServer, mailbox = `${randomUUID()}@inbox.example`): Promise<AddyPerson> {
  const visitor = await new Visitor(server).register(mailbox);
  await confirmMailboxInStore(server, visitor.userId, mailbox);
  const { secret: key } = await newAddyKey(visitor);
  const ask: AddyPerson["ask"] = (method, url, body, headers) => askWith(server, { key, method, url, body, headers });
  return { visitor, userId: visitor.userId, mailbox, key, ask };
}

interface Asked {
  key?: string;
  method: string;
  url: string;
  body?: unknown;
  headers?: Record<string, string> | undefined;
}

/** Makes a call as a client without cookies. */
export function askWith(server: TestServer, { key, method, url, body, headers }: Asked): Promise<Reply> {
  const authorization = key === undefined ? {} : { authorization: `Bearer ${key}` };
  return new Visitor(server).send({
    method: method as InjectOptions["method"],
    url,
    payload: body === undefined ? undefined : JSON.stringify(body),
    headers: { "content-type": "application/json", ...authorization, ...headers },
  });
}

/** Creates an alias through addy.io's API. */
export async function newAddyAlias({ ask }: AddyPerson, body: object = {}): Promise<Record<string, any>> {
  const { status, body: answer } = await ask("POST", "/api/v1/aliases", { domain: "kauke.test", ...body });
  expect(status, JSON.stringify(answer)).toBe(201);
  return answer.data;
}

const request = z.strictObject({
  name: z.string(),
  method: z.string(),
  path: z.string(),
  /** Header fields of this request in addition to those that all requests of the client have. */
  headers: z.record(z.string(), z.string()).optional(),
  /** Names of header fields that this request lacks although the client's other requests have them. */
  without: z.array(z.string()).optional(),
  body: z.unknown().optional(),
  answer: z.strictObject({ status: z.array(z.int()), model: z.string().optional() }),
  /** Values to take from the response for later requests: the path in the response, by the value's name. */
  remember: z.record(z.string(), z.string()).optional(),
  note: z.string().optional(),
});
export type ClientRequest = z.infer<typeof request>;

const client = z.strictObject({
  product: z.string(),
  version: z.string(),
  sources: z.array(z.strictObject({ repository: z.string(), commit: z.string(), files: z.array(z.string()) })),
  headers: z.record(z.string(), z.string()),
  /** Requests that the client makes when it starts, in this order. */
  startUp: z.array(request).default([]),
  requests: z.array(request),
});
export type Client = z.infer<typeof client>;

const folder = new URL("../../../../../../test-vectors/clients/addy/", import.meta.url);

export const clients: readonly Client[] = readdirSync(folder).map((file) =>
  client.parse(JSON.parse(readFileSync(new URL(file, folder), "utf8"))),
);
