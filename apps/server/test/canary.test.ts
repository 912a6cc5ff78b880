/**
 * Nothing is stored or logged in readable form: canary texts planted wherever a user can put text are found in no file
 * of the data directory and in no line of the process' output, in none of eight encodings, while it runs, after kill
 * -9, and after a clean shutdown. Controls show that the scanner finds what it looks for.
 */

import { randomBytes } from "node:crypto";
import { cp, mkdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openEmbedded } from "@kauke/server/store/embedded/embedded-database";
import { findTestPostgres, startTestPostgres } from "@kauke/server/store/postgres/postgres.testing";
import { CanaryClient, canaryAddress } from "@kauke/testkit/canary/canary-client";
import { canaryWorld, type Planted, type PlantTarget, plantCanaries } from "@kauke/testkit/canary/canary-plant";
import { plantAtProvider, plantProviderAliases } from "@kauke/testkit/canary/canary-provider";
import { Canaries, type Encoding, encodings, type Finding } from "@kauke/testkit/canary/canary-scan";
import { FakeForwardEmail } from "@kauke/testkit/fakes/fake-forward-email";
import { freePort } from "@kauke/testkit/free-port";
import { isLongRun, printFigures } from "@kauke/testkit/long-rounds";
import { sendMail } from "@kauke/testkit/send-mail";
import { makeDataDir, removeDataDirs, type ServerProcess, startServerProcess } from "@kauke/testkit/server-process";
import { sql } from "kysely";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const TIMEOUT_MS = 240_000;

afterAll(removeDataDirs);

/** Lists each place of a finding once, so that a failed assertion says which canary leaked where. */
const places = (findings: readonly Finding[]) => [
  ...new Set(findings.map(({ label, where, encoding }) => `${label} in ${where} as ${encoding}`)),
];

function targetOf(
  server: ServerProcess,
  {
    hook,
    issuer,
    zone,
    mx,
    dataDir,
  }: Pick<PlantTarget, "issuer" | "zone" | "mx" | "dataDir"> & { hook: { port: number } },
): PlantTarget {
  const submissionPort = Number(/"service":"submission","port":(\d+)/.exec(server.output())?.[1]);
  return { ...server, submissionPort, hookPort: hook.port, issuer, zone, mx, dataDir };
}

function expectPlanted(
  { mail, submitted, onOwnDomain, wallets, notices, statuses }: Planted,
  received: readonly { bytes: Buffer }[],
): void {
  expect(mail).toEqual({
    through: expect.stringMatching(/^250 /),
    down: expect.stringMatching(/^250 /),
    gone: expect.stringMatching(/^550 5\.7\.1 /),
    partly: expect.stringMatching(/^250 /),
    paused: expect.stringMatching(/^250 /),
    postmaster: expect.stringMatching(/^250 /),
    loop: expect.stringMatching(/^554 5\.4\.6 /),
    unknown: expect.stringMatching(/^550 5\.1\.1 /),
    foreign: expect.stringMatching(/^550 5\.7\.1 /),
  });
  expect(submitted).toMatch(/^250 /);
  expect(onOwnDomain).toMatch(/^250 /);
  expect(wallets).toEqual([200, 401, 401]);
  expect(notices.length).toBeGreaterThan(0);
  expect(received.length).toBeGreaterThanOrEqual(2);
  const wrong = [...statuses].filter(([status]) => status >= 500);
  expect(wrong).toEqual([]);
  expect(statuses.get(400) ?? 0, JSON.stringify([...statuses])).toBeGreaterThan(20);
}

describe("the embedded store", () => {
  const canaries = new Canaries();
  let dataDir: string;
  let tempDir: string;

  beforeAll(async () => {
    dataDir = await makeDataDir();
    tempDir = await makeDataDir();
  });

  const start = (env: Record<string, string>) => startServerProcess({ dataDir, env: { ...env, TMPDIR: tempDir } });

  async function expectNothing(when: string, servers: readonly ServerProcess[]): Promise<void> {
    const { findings, files, bytes } = await canaries.scan([dataDir, tempDir]);
    const output = servers.flatMap((server) => canaries.find(Buffer.from(server.output()), "output"));
    printFigures(`canaries ${when}`, {
      files,
      bytes,
      canaries: canaries.labels.length,
      found: findings.length + output.length,
    });
    expect(places([...findings, ...output])).toEqual([]);
  }

  test("contains no canary in any file, nor does the output, while running, killed, restarted and closed", {
    timeout: TIMEOUT_MS,
  }, async () => {
    const world = await canaryWorld(canaries);
    try {
      const first = await start(world.env);
      const planted = await plantCanaries(canaries, targetOf(first, { ...world, dataDir }));
      expectPlanted(planted, world.mx.messages);
      const seen = Buffer.concat([
        ...world.mx.messages.map(({ bytes }) => bytes),
        ...world.hook.requests.map(({ body }) => body),
      ]);
      expect(canaries.find(seen, "what arrived").length).toBeGreaterThan(0);
      expect((await canaries.scan([join(dataDir, "spool")])).bytes).toBeGreaterThan(10_000);
      await expectNothing("while running", [first]);
      await first.kill();
      await expectNothing("after kill -9", [first]);
      const second = await start(world.env);
      expect(await second.stop()).toBe(0);
      await expectNothing("after a clean close", [first, second]);
      const preview = await start({ KAUKE_DELIVERY: "preview" });
      const to = [`${canaries.word("alias-through")}@kauke.test`];
      const message = `Subject: ${canaries.word("preview-subject")}\r\n\r\n${canaries.word("preview-body")}\r\n`;
      expect((await sendMail({ port: preview.mxPort, to, message, localAddress: canaryAddress })).last).toMatch(
        /^250 /,
      );
      const headers = { "x-preview-token": await preview.previewToken() };
      expect(await (await fetch(`${preview.url}/preview/api/messages`, { headers })).text()).toContain(
        "preview-subject",
      );
      await preview.kill();
      await expectNothing("after preview and kill -9", [first, second, preview]);
    } finally {
      await world.close();
    }
    expect(canaries.labels.length).toBeGreaterThan(100);
  });

  test("contains no canary in any row as SQL reads it", { timeout: TIMEOUT_MS }, async () => {
    const { db, close } = await openEmbedded(dataDir);
    const rows = await everyRow(async (statement) => (await sql.raw<{ row: string }>(statement).execute(db)).rows);
    const { rows: senders } = await sql`SELECT token FROM bounce_sender`.execute(db);
    const { rows: invitations } = await sql`SELECT id FROM invitation`.execute(db);
    const { rows: domains } = await sql`SELECT id FROM account_domain`.execute(db);
    const { rows: probes } = await sql`SELECT id FROM mail_probe`.execute(db);
    await close();
    expect(probes).toHaveLength(1);
    expect(domains.length).toBeGreaterThan(1);
    expect(senders).not.toEqual([]);
    expect(invitations).toHaveLength(1);
    expect(rows.tables).toBeGreaterThan(15);
    expect(rows.text.length).toBeGreaterThan(10_000);
    expect(places(canaries.find(Buffer.from(rows.text), "rows"))).toEqual([]);
  });

  test("control: a canary in a row, in a log or in a file of a copy of this directory is found", {
    timeout: TIMEOUT_MS,
  }, async () => {
    const copy = await makeDataDir();
    await cp(dataDir, copy, { recursive: true, filter: async (path) => !(await stat(path)).isSocket() });
    const { db, close } = await openEmbedded(copy);
    await sql`INSERT INTO counter (name, value) VALUES (${canaries.word("control-row")}, 1)`.execute(db);
    // Twice, since a border of the log's pages may cut one of them.
    for (const prefix of ["x", "y"])
      await sql`SELECT pg_logical_emit_message(false, ${prefix}, ${canaries.word("control-log")})`.execute(db);
    await close();
    await mkdir(join(copy, "spool", "00"), { recursive: true });
    await writeFile(join(copy, "spool", "00", "part"), Buffer.from(canaries.word("control-file"), "utf16le"));
    await writeFile(join(copy, canaries.word("control-name")), "");
    const { findings } = await canaries.scan([copy]);
    const found = new Set(findings.map(({ label }) => label));
    expect([...found]).toEqual(expect.arrayContaining(["control-file", "control-log", "control-name", "control-row"]));
  });
});

test("with a forwarding provider, neither its key nor destinations, passwords or its texts are in a file, row, metric or output", {
  timeout: TIMEOUT_MS,
}, async () => {
  const canaries = new Canaries();
  await using provider = await FakeForwardEmail.start({
    key: canaries.word("provider-key"),
    domains: ["kauke.test"],
  });
  plantAtProvider(canaries, provider);
  const [dataDir, metricsPort] = [await makeDataDir(), await freePort()];
  const env = {
    KAUKE_FORWARDING: "forward-email",
    KAUKE_PROVIDER_URL: provider.url,
    KAUKE_PROVIDER_KEY: provider.key,
    KAUKE_WEBHOOK_ALLOW: "127.0.0.1",
    KAUKE_METRICS_PORT: String(metricsPort),
    KAUKE_DELIVERY: "preview",
  };
  const server = await startServerProcess({ dataDir, env });
  const client = new CanaryClient(canaries, server.httpPort);
  const owner = await client.register(`${canaries.word("account")}@people.example`, canaries.word("password"));
  expect((await plantProviderAliases(canaries, owner)).failed).toBeGreaterThan(0);
  const seen = Buffer.from(JSON.stringify(provider.calls.map(({ path, body }) => ({ path, body }))));
  const sent = places(canaries.find(seen, "calls"));
  for (const label of ["provider-renamed", "provider-hook", "provider-lost-mailbox"])
    expect(sent).toContain(`${label} in calls as utf-8`);
  const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  expect(metrics).toContain("kauke_");
  const { findings } = await canaries.scan([dataDir]);
  await server.kill();
  findings.push(...(await canaries.scan([dataDir])).findings, ...canaries.find(Buffer.from(metrics), "metrics"));
  const { db, close } = await openEmbedded(dataDir);
  const query = async (statement: string) => (await sql.raw<{ row: string }>(statement).execute(db)).rows;
  const rows = await everyRow(query);
  const { rows: sealed } = await sql`SELECT FROM provider_alias WHERE sealed IS NOT NULL`.execute(db);
  expect(sealed.length).toBeGreaterThan(3);
  findings.push(...canaries.find(Buffer.from(rows.text), "rows"));
  findings.push(...canaries.find(Buffer.from(server.output()), "output"));
  expect(places(findings)).toEqual([]);
  await sql`UPDATE provider_alias SET problem = ${canaries.word("control")}`.execute(db);
  const control = canaries.find(Buffer.from((await everyRow(query)).text), "rows");
  await close();
  expect(places(control)).toEqual(["control in rows as utf-8"]);
});

const postgres = findTestPostgres();
if (isLongRun && !postgres.found) process.stdout.write(`canary tests on PostgreSQL are skipped: ${postgres.reason}\n`);

// In `npm test`, message-bodies.test.ts searches the only rows of PostgreSQL that the embedded store does not write.
test.runIf(isLongRun && postgres.found)(
  "PostgreSQL contains no canary in any row, nor does the output",
  { timeout: TIMEOUT_MS },
  async () => {
    const canaries = new Canaries();
    const world = await canaryWorld(canaries);
    const database = await startTestPostgres();
    const dataDir = await makeDataDir();
    const url = await database.createDatabase();
    const env = { ...world.env, DATABASE_URL: url, KAUKE_SECRET_KEY: randomBytes(32).toString("base64") };
    const client = new pg.Client({ connectionString: url });
    try {
      const server = await startServerProcess({ dataDir, env });
      const planted = await plantCanaries(canaries, targetOf(server, { ...world, dataDir }));
      expectPlanted(planted, world.mx.messages);
      await server.kill();
      await client.connect();
      const { text } = await everyRow(async (statement) => (await client.query<{ row: string }>(statement)).rows);
      expect(text.length).toBeGreaterThan(10_000);
      const { findings } = await canaries.scan([dataDir]);
      findings.push(
        ...canaries.find(Buffer.from(text), "rows"),
        ...canaries.find(Buffer.from(server.output()), "output"),
      );
      expect(places(findings)).toEqual([]);
      await client.query("INSERT INTO counter (name, value) VALUES ($1, 1)", [canaries.word("control")]);
      const again = await everyRow(async (statement) => (await client.query<{ row: string }>(statement)).rows);
      expect(canaries.find(Buffer.from(again.text), "rows").map(({ label }) => label)).toEqual(["control"]);
    } finally {
      await client.end();
      await database.stop();
      await world.close();
    }
  },
);

/** Reads all rows of our tables as text, to find words that the database's files contain in compressed form. */
async function everyRow(query: (statement: string) => Promise<{ row: string }[]>) {
  const tables = await query(
    "SELECT quote_ident(relname) AS row FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace",
  );
  const rows: string[] = [];
  for (const { row: table } of tables) {
    for (const { row } of await query(`SELECT t::text AS row FROM public.${table} t`)) rows.push(row);
  }
  return { tables: tables.length, text: rows.join("\n") };
}

describe("the scanner", () => {
  const forms: [Encoding, (text: string) => string][] = [
    ["utf-8", (text) => text],
    ["utf-16le", (text) => Buffer.from(text, "utf16le").toString("latin1")],
    ["hex", (text) => Buffer.from(text).toString("hex")],
    ["url", (text) => Buffer.from(text).toString("hex").replace(/../g, "%$&")],
    ["quoted-printable", (text) => Buffer.from(text).toString("hex").toUpperCase().replace(/../g, "=$&")],
    ["base64 at 0", (text) => Buffer.from(`abc${text} and more`).toString("base64")],
    ["base64 at 1", (text) => Buffer.from(`a${text} and more`).toString("base64")],
    ["base64 at 2", (text) => Buffer.from(`ab${text} and more`).toString("base64url")],
  ];

  test.each(forms)("finds a canary written as %s, and reports which one and where", (encoding, form) => {
    const canaries = new Canaries();
    canaries.word("other");
    canaries.word("secret");
    const before = randomBytes(5000);
    const noise = randomBytes(3000);
    const bytes = Buffer.concat([before, Buffer.from(form(canaries.word("secret")), "latin1"), noise]);
    const [found, ...more] = canaries.find(bytes, "a file");
    expect(found).toMatchObject({ where: "a file", encoding, label: "secret" });
    expect(found?.offset).toBeGreaterThanOrEqual(before.length);
    expect(more).toEqual([]);
  });

  test("knows the eight encodings, and finds nothing in a text without a canary", () => {
    expect(Object.keys(encodings)).toHaveLength(8);
    expect(forms.map(([encoding]) => encoding)).toEqual(Object.keys(encodings));
    expect(new Canaries().find(randomBytes(1_000_000), "noise")).toEqual([]);
  });

  test("finds a value between pages of zeros, which are skipped, at its offset", () => {
    const canaries = new Canaries();
    canaries.watch("last", "s3cret+value");
    const text = Buffer.from("s3cret+value", "utf16le");
    const bytes = Buffer.alloc(5 * 8192);
    // The last byte of the value, a zero, is the first byte of the page of zeros that follows.
    const at = 3 * 8192 - text.length + 1;
    text.copy(bytes, at);
    const [found] = canaries.find(bytes, "a file");
    expect(found).toMatchObject({ offset: at, encoding: "utf-16le", label: "last" });
  });

  test("finds a value that was watched rather than planted", () => {
    const canaries = new Canaries();
    canaries.watch("token", "s3cret+value");
    const bytes = Buffer.from(JSON.stringify({ cookie: Buffer.from("session=s3cret+value").toString("base64") }));
    expect(places(canaries.find(bytes, "log"))).toEqual(["token in log as base64 at 2"]);
  });
});
