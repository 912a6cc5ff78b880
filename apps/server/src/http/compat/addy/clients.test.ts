/**
 * Replays the requests of addy.io's clients, Bitwarden and Keyguard, and checks that these clients can decode the
 * responses.
 */
import { randomUUID } from "node:crypto";
import type { InjectOptions } from "fastify";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type TestServer, Visitor } from "../../test/test-server.ts";
import {
  type AddyPerson,
  type Client,
  type ClientRequest,
  clients,
  newAddyAlias,
  newPerson,
  startAddyServer,
} from "./addy-world.testing.ts";
import { clientModels } from "./client-models.testing.ts";

let server: TestServer;
let person: AddyPerson;
let values: Record<string, string>;

beforeAll(async () => {
  server = await startAddyServer({ config: { limits: "off" } });
  person = await newPerson(server);
  await person.visitor.createAlias({
    forwardTo: `${person.mailbox}, https://hooks.example.org/in`,
    notes: "shop.example",
  });
  const { body } = await person.ask("GET", "/api/v1/recipients");
  values = { key: person.key, domain: "kauke.test", recipientId: body.data[0].id };
});
afterAll(() => server.close());

/** Sends a client's request about an alias created for it, and checks the response as the client would. */
async function replay({ headers }: Client, request: ClientRequest): Promise<void> {
  const { id: aliasId } = await newAddyAlias(person, { description: "shop.example" });
  const freeName = `a${randomUUID().slice(0, 8)}`;
  const fill = (text: string) =>
    text.replace(/<(\w+)>/g, (_, name: string) => ({ ...values, aliasId, freeName })[name] ?? `<${name}> is not known`);
  const body = request.body === undefined ? undefined : fill(JSON.stringify(request.body));
  const sent = Object.fromEntries(
    Object.entries({ ...headers, ...request.headers })
      .filter(([name]) => !request.without?.includes(name))
      .map(([name, text]) => [name, fill(text)]),
  );
  const answer = await new Visitor(server).send({
    method: request.method as InjectOptions["method"],
    url: fill(request.path),
    headers: sent,
    payload: body,
  });
  const shown = JSON.stringify(answer.body);
  expect(request.answer.status, shown).toContain(answer.status);
  // Without this CORS header field, a web page or extension cannot read the response.
  if (sent.Origin !== undefined) expect(answer.headers["access-control-allow-origin"]).toBe("*");
  if (request.answer.model === undefined) return;
  const model = clientModels[request.answer.model];
  expect(model, request.answer.model).toBeDefined();
  expect(model?.safeParse(answer.body).error?.issues ?? [], shown).toEqual([]);
  for (const [name, path] of Object.entries(request.remember ?? {}))
    values[name] = path.split(".").reduce((value, part) => value[part], answer.body);
}

describe.each(clients)("$product $version", (client) => {
  if (client.startUp.length > 0)
    it("starts", async () => {
      for (const request of client.startUp) await replay(client, request);
    });

  it.each(client.requests)("$name", (request) => replay(client, request));
});

it("the client models are strict: each rejects a response without a field that the client needs", async () => {
  const alias = await newAddyAlias(person);
  const single = (await person.ask("GET", `/api/v1/aliases/${alias.id}`)).body;
  for (const field of ["id", "email", "active", "pinned", "emails_forwarded", "created_at"]) {
    const { [field]: _, ...rest } = single.data;
    for (const model of ["androidSingleAlias", "iosSingleAlias", "extensionAlias"])
      expect(clientModels[model]?.safeParse({ data: rest }).success, `${model} without ${field}`).toBe(false);
  }
  const account = (await person.ask("GET", "/api/v1/account-details")).body;
  for (const field of ["id", "username", "bandwidth_limit", "default_recipient_id", "total_deleted_aliases"]) {
    const { [field]: _, ...rest } = account.data;
    for (const model of ["androidAccount", "iosAccount"])
      expect(clientModels[model]?.safeParse({ data: rest }).success, `${model} without ${field}`).toBe(false);
  }
});
