/**
 * Replays the requests of SimpleLogin's clients as their sources make them (`test-vectors/clients/simplelogin/`), and
 * checks that the clients' models can decode the responses.
 */
import { readdir, readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TestServer } from "../../test/test-server.ts";
import { KeyHolder, startKeyServer } from "./client.testing.ts";
import { clientSchemas } from "./client-schemas.testing.ts";

interface ClientRequest {
  name: string;
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS";
  path: string;
  headers: Record<string, string>;
  body: string | null;
  status: number[];
  answer: string;
}

interface Client {
  about: string;
  source: { repository: string; commit: string; files: string[] }[];
  requests: ClientRequest[];
}

const folder = new URL("../../../../../../test-vectors/clients/simplelogin/", import.meta.url);
const files = (await readdir(folder)).sort();
const clients = await Promise.all(
  files.map(async (file): Promise<[string, Client]> => {
    return [file.replace(".json", ""), JSON.parse(await readFile(new URL(file, folder), "utf8"))];
  }),
);

let server: TestServer;
beforeAll(async () => {
  server = await startKeyServer();
});
afterAll(() => server.close());

/**
 * An account with an ordinary alias and an alias with only a webhook, and the values that the fixtures' requests refer
 * to by name.
 */
async function anAccount() {
  const holder = await new KeyHolder(server).begin();
  await holder.person.createAlias({ alias: `a${holder.key.slice(5, 15)}`, forwardTo: "https://hooks.example.org/a" });
  const { body: mailboxes } = await holder.call("GET", "/api/v2/mailboxes");
  const mailbox = String(mailboxes.mailboxes[0].id);
  const values = async (): Promise<Record<string, string>> => {
    const { body: options } = await holder.call("GET", "/api/v5/alias/options");
    const { body: alias } = await holder.call("POST", "/api/alias/random/new");
    return { key: holder.key, alias: String(alias.id), mailbox, signedSuffix: options.suffixes[0].signed_suffix };
  };
  return { holder, values };
}

const fill = (text: string, values: Record<string, string>) =>
  text.replace(/\$\{(\w+)\}/g, (_, name: string) => values[name] ?? `no ${name}`);

describe.each(clients)("%s", (name, { source, requests }) => {
  it("names product, commit and files that its requests were read from", () => {
    for (const { repository, commit, files: read } of source) {
      expect(repository).toMatch(/^[\w.-]+\/[\w.-]+$/);
      expect(commit).toMatch(/^[0-9a-f]{40}$/);
      expect(read.length).toBeGreaterThan(0);
    }
    for (const { answer } of requests) expect(Object.keys(clientSchemas)).toContain(answer);
  });

  it("can decode the responses to its requests, sent in its own order", async () => {
    const { holder, values } = await anAccount();
    for (const request of requests) {
      const where = `${name}: ${request.name}`;
      const filled = await values();
      const headers = Object.fromEntries(Object.entries(request.headers).map(([key, it]) => [key, fill(it, filled)]));
      const answer = await server.app.inject({
        method: request.method,
        url: fill(request.path, filled),
        headers,
        remoteAddress: holder.client.address,
        ...(request.body === null ? {} : { payload: fill(request.body, filled) }),
      });
      expect(request.status, `${where}: ${answer.body}`).toContain(answer.statusCode);
      expect(answer.headers.location, where).toBeUndefined();
      const read = answer.body === "" ? "" : answer.json();
      const parsed = clientSchemas[request.answer]?.safeParse(read);
      expect(parsed?.error?.issues ?? [], `${where}: ${answer.body}`).toEqual([]);
    }
  });
});

it("the schemas refuse an answer in which a field that the client needs is missing", async () => {
  const { holder } = await anAccount();
  const { body: alias } = await holder.call("POST", "/api/alias/random/new");
  const required = { iosAlias: ["id", "pinned", "mailboxes", "support_pgp"], androidAlias: ["creation_date"] };
  for (const [schema, fields] of Object.entries(required)) {
    expect(clientSchemas[schema]?.safeParse(alias).success).toBe(true);
    for (const field of fields)
      expect(clientSchemas[schema]?.safeParse({ ...alias, [field]: undefined }).success, field).toBe(false);
  }
  expect(clientSchemas.iosAlias?.safeParse({ ...alias, id: 2 ** 31 }).success).toBe(false);
});
