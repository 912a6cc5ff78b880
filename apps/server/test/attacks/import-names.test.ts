/**
 * Imports as a search for addresses in use: a dry run costs nothing and may have 50,000 rows, so it must not tell of each
 * whether somebody has it. Beyond a small number a row is decided when the import runs, which costs an alias each.
 */
import type { ImportRowWire } from "@kauke/contract";
import { startTestServer, type TestServer, Visitor } from "@kauke/server/http/test/test-server";
import { anAlias } from "@kauke/server/store/rows.testing";
import { afterEach, beforeEach, expect, test } from "vitest";

const TOLD = 5;
const DECIDED = 40;
const limits = new Map([
  ["import_taken", { max: TOLD, windowSeconds: 86_400 }],
  ["import_unchecked", { max: DECIDED, windowSeconds: 86_400 }],
  ["register", { max: 100, windowSeconds: 3600 }],
]);

let server: TestServer;
let victim: Visitor;
beforeEach(async () => {
  server = await startTestServer({ config: { trustedProxies: ["127.0.0.1"], limits } });
  victim = await visitorFrom("192.0.2.1");
});
afterEach(() => server.close());

/** Registers a visitor whose requests come from this network through a trusted proxy. */
function visitorFrom(network: string): Promise<Visitor> {
  const visitor = new Visitor(server);
  visitor.address = "127.0.0.1";
  const send = visitor.send.bind(visitor);
  visitor.send = (options) => send({ ...options, headers: { ...options.headers, "x-forwarded-for": network } });
  return visitor.register();
}

const names = (word: string, count: number) => Array.from({ length: count }, (_, at) => `${word}${at}`);

/** Names of which the victim has every second one: the first with an alias, the next with one that it deleted. */
async function someTaken(word: string, count: number): Promise<string[]> {
  const all = names(word, count);
  for (const [at, name] of all.entries()) {
    if (at % 2 === 1) continue;
    const alias = anAlias(victim.userId, { name });
    await server.store.aliases.insert(alias);
    if (at % 4 === 2) await server.store.aliases.delete(victim.userId, alias.id);
  }
  return all;
}

interface DryRun {
  importId: string;
  rows: ImportRowWire[];
}

async function dryRun(visitor: Visitor, addresses: readonly string[]): Promise<DryRun> {
  const payload = Buffer.from(
    `alias,note,enabled,mailboxes\n${addresses.map((it) => `${it},,True,a@b.example`).join("\n")}\n`,
  );
  const headers = { "content-type": "application/octet-stream" };
  const { status, body } = await visitor.send({ method: "POST", url: "/api/imports", payload, headers });
  expect(status, JSON.stringify(body)).toBe(201);
  return { importId: body.importId, rows: await rowsOf(visitor, body.importId) };
}

async function rowsOf(visitor: Visitor, importId: string): Promise<ImportRowWire[]> {
  return (await visitor.send({ method: "GET", url: `/api/imports/${importId}` })).body.page.rows;
}

async function run(visitor: Visitor, { importId }: DryRun): Promise<ImportRowWire[]> {
  expect((await visitor.call("runImport", { params: { importId } })).status).toBe(200);
  await expect
    .poll(async () => (await visitor.send({ method: "GET", url: `/api/imports/${importId}` })).body.state)
    .toBe("done");
  return rowsOf(visitor, importId);
}

const here = (all: readonly string[]) => all.map((name) => `${name}@kauke.test`);
const there = (all: readonly string[]) => all.map((name) => `${name}@simplelogin.com`);
const resultsOf = (rows: readonly ImportRowWire[]) => rows.map((row) => row.result);
/** What a row shows of its address; the same for each if nothing is revealed. */
const shown = (rows: readonly ImportRowWire[]) =>
  new Set(rows.map(({ result, reason, becomes }) => `${result} ${reason} ${becomes}`));

test("a dry run tells of a few addresses that they are taken, and nothing of all others", async () => {
  const all = await someTaken("garden", 40);
  const mallory = await visitorFrom("198.51.100.1");
  const { rows } = await dryRun(mallory, here(all));
  const told = TOLD * 2 - 1;
  expect(resultsOf(rows.slice(0, told))).toEqual(
    all.slice(0, told).map((_, at) => (at % 2 === 0 ? "taken" : "create")),
  );
  expect(resultsOf(rows.slice(told))).toEqual(all.slice(told).map(() => "unchecked"));
  expect(shown(rows.slice(told)).size).toBe(1);
  const again = await dryRun(mallory, here(all));
  expect(new Set(resultsOf(again.rows))).toEqual(new Set(["unchecked"]));
});

test("nor does it tell by the name that it gives to an address of another domain", async () => {
  const all = await someTaken("forum", 40);
  const mallory = await visitorFrom("198.51.100.1");
  const { rows } = await dryRun(mallory, there(all));
  expect(rows.slice(0, TOLD * 2 - 1).map((row) => row.becomes?.startsWith(`${row.address.split("@")[0]}@`))).toEqual(
    all.slice(0, TOLD * 2 - 1).map((_, at) => at % 2 === 1),
  );
  expect(resultsOf(rows.slice(TOLD * 2 - 1))).toEqual(all.slice(TOLD * 2 - 1).map(() => "unchecked"));
  expect(shown(rows.slice(TOLD * 2 - 1)).size).toBe(1);
});

test("other accounts of the same network share what is told; another network has its own", async () => {
  const all = await someTaken("bank", 20);
  await dryRun(await visitorFrom("198.51.100.1"), here(all));
  const sibling = await dryRun(await visitorFrom("198.51.100.1"), here(all));
  expect(resultsOf(sibling.rows)).not.toContain("taken");
  const elsewhere = await dryRun(await visitorFrom("203.0.113.7"), here(all));
  expect(resultsOf(elsewhere.rows).filter((it) => it === "taken")).toHaveLength(TOLD);
});

test("an account is always told of its own addresses", async () => {
  const all = await someTaken("news", 20);
  await dryRun(victim, here(names("other", 1)));
  const mine = all.filter((_, at) => at % 4 === 0);
  const mallory = await visitorFrom("198.51.100.1");
  const own = await mallory.createAlias({ alias: "mallory.own" });
  await dryRun(mallory, here(all));
  const { rows } = await dryRun(mallory, [...here(all), `${own.alias}@kauke.test`]);
  expect(rows.at(-1)?.result).toBe("exists");
  expect(new Set(resultsOf((await dryRun(victim, here(mine))).rows))).toEqual(new Set(["exists"]));
});

test("the run decides the rows that were not checked, in numbers that are limited by account and network", async () => {
  const all = await someTaken("post", 30);
  const mallory = await visitorFrom("198.51.100.1");
  await dryRun(mallory, here(all));
  const planned = await dryRun(mallory, [...here(all), ...there(["post0", "free"])]);
  const rows = await run(mallory, planned);
  expect(resultsOf(rows)).toEqual([...all.map((_, at) => (at % 2 === 0 ? "taken" : "create")), "twin", "twin"]);
  expect(rows.at(-1)?.becomes).toBe("free@kauke.test");
  expect(rows.at(-2)?.becomes).toMatch(/^post0\.[a-z2-7]{6}@kauke\.test$/);
  expect((await mallory.call("listAliases")).body.aliases).toHaveLength(17);
  for (const visitor of [mallory, await visitorFrom("198.51.100.1")]) {
    const next = await dryRun(visitor, here(names("more", DECIDED - 32 + 1)));
    expect(new Set(resultsOf(next.rows))).toEqual(new Set(["unchecked"]));
    const { status, body } = await visitor.call("runImport", { params: { importId: next.importId } });
    expect([status, body.code]).toEqual([429, "rate_limited"]);
  }
});
