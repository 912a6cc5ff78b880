/**
 * Calls with NUL characters wherever a caller may write text. Databases, file systems and libraries written in C refuse
 * such text or read only its beginning, so a call refuses it, or stores it in a form that keeps it: none is an incident.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Endpoint, fillPath } from "@kauke/contract";
import { afterAll, beforeAll, expect, it } from "vitest";
import * as z from "zod";
import { type AdminServer, startAdminServer } from "./admin/admin-server.testing.ts";
import { everyEndpoint, testDomains, Visitor } from "./test/test-server.ts";

const all = Object.entries(everyEndpoint) as [keyof typeof everyEndpoint, Endpoint][];
const NO_ID = "00000000-0000-4000-8000-000000000000";
const NUL_IN_JSON = String.raw`\u0000`;
const PASSWORD = "correct horse battery staple";

let webRoot: string;
let server: AdminServer;
let person: Visitor;
let aliasId: string;
beforeAll(async () => {
  webRoot = await mkdtemp(join(tmpdir(), "kauke-web-"));
  await writeFile(join(webRoot, "index.html"), "<html><head></head><body></body></html>");
  server = await startAdminServer({ config: { limits: "off" }, webRoot });
  person = await server.newAdmin();
  const made = await person.call("createAlias", {
    body: { alias: "first", domain: testDomains[0], forwardTo: plain.forwardTo },
  });
  expect(made.status).toBe(201);
  aliasId = made.body.id;
});
afterAll(async () => {
  await server.close();
  await rm(webRoot, { recursive: true });
});

/** Values that fields of these names accept. */
const plain: Record<string, string> = {
  address: "ann@a.example",
  alias: "second",
  apiKey: "secret",
  baseUrl: "https://a.example/",
  currentPassword: PASSWORD,
  domain: testDomains[0] ?? "",
  email: "bob@a.example",
  expiresAt: "2027-01-01T00:00:00Z",
  forwardTo: "ann@a.example",
  hostname: "shop.example",
  masterPassword: PASSWORD,
  neverNames: "spam",
  newPassword: PASSWORD,
  password: PASSWORD,
  prefixes: "shop.",
  recipientEmail: "ann@a.example",
  signature: `0x${"1".repeat(130)}`,
  to: "ann@a.example",
  walletAddress: `0x${"1".repeat(40)}`,
};

type Schema = z.core.JSONSchema.BaseSchema;

/** A value that a schema describes, as far as it is that simple. @param textOf text for a field by its path */
function sampleOf(schema: Schema, name: string, textOf: (name: string, text: string) => string): unknown {
  const sample = (part: unknown, path: string) => sampleOf(part as Schema, path, textOf);
  const choice = (schema.anyOf ?? schema.oneOf)?.[0];
  if (choice !== undefined) return sample(choice, name);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  const members = Object.entries(schema.properties ?? {});
  if (schema.type === "object")
    return Object.fromEntries(members.map(([key, member]) => [key, sample(member, `${name}.${key}`)]));
  if (schema.type === "array") return [sample(schema.items ?? {}, name)];
  if (schema.type === "string") {
    if (schema.format === "uuid") return NO_ID;
    return textOf(name, plain[name.split(".").at(-1) ?? ""] ?? "x".repeat(schema.minLength ?? 1));
  }
  if (schema.type === "boolean") return true;
  return schema.type === "integer" || schema.type === "number" ? (schema.minimum ?? 1) : null;
}

const schemaOf = (type: z.ZodType) => z.toJSONSchema(type, { io: "input", unrepresentable: "any" }) as Schema;
const withNul: ((text: string) => string)[] = [
  (text) => `${text}\0`,
  (text) => `\0${text}`,
  (text) => text.replace(/(?<=.)(?=.)/, "\0"),
  (text) => text.replace(/(?=\.example)/, "\0"),
  () => "https://a.example\0.b.example/",
];

interface Made {
  /** Id in the path. */
  id?: string;
  body?: unknown;
  query?: string;
}

async function expectNoIncident(
  name: keyof typeof everyEndpoint,
  { id = NO_ID, body, query = "" }: Made,
): Promise<void> {
  server.logged.length = 0;
  const { method, path } = everyEndpoint[name];
  const ids = [...path.matchAll(/:(\w+)/g)].map(([, key = ""]) => [
    key,
    id === NO_ID && key === "aliasId" ? aliasId : id,
  ]);
  const url = fillPath(path, { ...Object.fromEntries(ids), ...(id === NO_ID && { userId: person.userId }) });
  const headers = { "content-type": "application/json" };
  const payload = body === undefined ? {} : { payload: JSON.stringify(body), headers };
  const visitor = path.includes("register") ? new Visitor(server) : person;
  const { status } = await visitor.send({ method, url: `${url}${query}`, ...payload });
  const incidents = server.logged.filter(({ event }) => event === "http_unexpected");
  expect([name, body, status < 500, incidents]).toEqual([name, body, true, []]);
}

it("no call is an incident with NUL in its path", async () => {
  for (const [name, { body }] of all.filter(([, { path }]) => path.includes(":"))) {
    const sample = body === undefined ? undefined : sampleOf(schemaOf(body), name, (_, text) => text);
    for (const id of ["\0", `${NO_ID}\0`, `\0${NO_ID}`]) await expectNoIncident(name, { id, body: sample });
  }
});

it("no call is an incident with NUL in its query", async () => {
  for (const [name, { query }] of all) {
    if (query === undefined) continue;
    const sample = sampleOf(schemaOf(query), name, (_, text) => `${text}\0`) as Record<string, unknown>;
    const pairs = Object.entries(sample).map(([key, value]): [string, string] => [key, String(value)]);
    await expectNoIncident(name, { query: `?${new URLSearchParams(pairs).toString()}` });
  }
});

it("no call is an incident with NUL in one field of its body, whichever accepts it", async () => {
  const accepting = new Set<string>();
  for (const [name, { body }] of all) {
    if (body === undefined) continue;
    const fields = new Set<string>();
    const sampled = (textOf: (field: string, text: string) => string) => sampleOf(schemaOf(body), name, textOf);
    sampled((field, text) => {
      fields.add(field);
      return text;
    });
    for (const field of fields) {
      for (const spell of withNul) {
        const value = sampled((it, text) => (it === field ? spell(text) : text));
        if (JSON.stringify(value).includes(NUL_IN_JSON) && body.safeParse(value).success) accepting.add(field);
        await expectNoIncident(name, { body: value });
      }
    }
  }
  // Control: some fields do accept it, and their calls reach the store.
  for (const field of [
    "register.password",
    "login.password",
    "walletSignIn.signedMessage",
    "decryptManual.encryptedText",
  ]) {
    expect([...accepting]).toContain(field);
  }
});

it("no path of a file is an incident with NUL", async () => {
  for (const path of [
    "%00",
    "x%00.txt",
    "assets/x%00.js",
    "%00/x.js",
    "..%00/x.js",
    ".well-known/%00",
    "preview/%00",
  ]) {
    server.logged.length = 0;
    const { status } = await person.send({ method: "GET", url: `/${path}` });
    expect([path, status < 500, server.logged]).toEqual([path, true, []]);
  }
});

it("a password is compared to its end, NUL included", async () => {
  const account = { email: "nul@a.example", password: "correct horse\0battery" };
  await new Visitor(server).call("register", { body: account });
  const statusWith = async (password: string) =>
    (await new Visitor(server).call("login", { body: { ...account, password } })).status;
  expect(await statusWith(account.password)).toBe(200);
  for (const wrong of ["correct horse", "correct horse\0", "correct horse\0staple"])
    expect([wrong, await statusWith(wrong)]).toEqual([wrong, 401]);
});
