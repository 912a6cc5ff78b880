/** Data directories written by earlier versions can be opened by this one, and the mail in them is delivered. */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { zstdDecompressSync } from "node:zlib";
import type { AliasWire } from "@kauke/contract";
import { createFakeDns } from "@kauke/testkit/fakes/fake-dns";
import { FakeMx } from "@kauke/testkit/fakes/fake-mx";
import { sendMail } from "@kauke/testkit/send-mail";
import { makeDataDir, removeDataDirs } from "@kauke/testkit/server-process";
import { authPlain, secureTalk } from "@kauke/testkit/smtp-talk";
import { relayTo, startSystem, type TestSystem } from "@kauke/testkit/system";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";

/** Facts about a data directory, written by `scripts/make-data-directory.ts`. */
interface Facts {
  madeAt: string;
  email: string;
  password: string;
  aliases: Record<"shop" | "pair" | "hook" | "paused", string>;
  smtp: { username: string; password: string };
  webhookSecret: string;
  replyAddress: string;
  bounceAddress: string;
  waiting: Record<string, number>;
  scheduled: string;
}

const folder = fileURLToPath(new URL("../../../../test-vectors/data-directories", import.meta.url));
const names = readdirSync(folder).flatMap((file) => (file.endsWith(".json") ? [file.slice(0, -".json".length)] : []));
const dns = createFakeDns({ "inbox.example": { txt: ["v=spf1 ip4:127.0.0.1 -all"] } });
/**
 * Milliseconds between the making of a data directory and its test: late enough for the scheduled message to be due,
 * early enough for addresses and deliveries not to have expired.
 */
const LATER_MS = 25 * 3_600_000;

afterAll(removeDataDirs);

test("there is a data directory of at least one earlier version", () => {
  expect(names.length).toBeGreaterThan(0);
});

describe.each(names)("%s", (name) => {
  const facts = JSON.parse(readFileSync(join(folder, `${name}.json`), "utf8")) as Facts;
  let mx: FakeMx;
  let system: TestSystem;

  beforeAll(async () => {
    const dataDir = await makeDataDir();
    unpack(name, dataDir);
    mx = await FakeMx.start();
    const skewMs = Date.parse(facts.madeAt) + LATER_MS - Date.now();
    system = await startSystem({
      env: {
        KAUKE_DATA_DIR: dataDir,
        ...relayTo(mx),
        KAUKE_AUTHENTICATION: "on",
      },
      overrides: { resolver: dns, clock: { now: () => new Date(Date.now() + skewMs) } },
    });
  });
  afterAll(async () => {
    await system.close();
    await mx.close();
  });

  const subjects = () => mx.messages.map((it) => /^Subject: (.*)\r$/m.exec(it.bytes.toString("latin1"))?.[1] ?? "");
  const arrived = (subject: string, count: number) =>
    vi.waitFor(() => expect(subjects().filter((it) => it === subject)).toHaveLength(count), { timeout: 30_000 });

  test("mail that was queued or in flight when the server was killed is delivered, each copy once", async () => {
    for (const [subject, count] of Object.entries(facts.waiting)) await arrived(subject, count);
    const deferred = mx.messages.find((it) => it.bytes.includes("Subject: deferred\r\n"));
    expect(deferred?.rcptTo).toEqual(["owner@inbox.example"]);
    expect(deferred?.bytes.toString("latin1")).toContain("\r\n\r\nthe text of deferred\r\n");
  });

  test("a scheduled message is sent as the alias when it is due", async () => {
    await arrived(facts.scheduled, 1);
    const mail = mx.messages.find((it) => it.bytes.includes(`Subject: ${facts.scheduled}\r\n`));
    expect(mail).toMatchObject({ envelopeFrom: facts.aliases.shop, rcptTo: ["ann@sender.example"] });
  });

  test("the owner signs in and finds aliases, notes, destinations and the webhook's secret unchanged", async () => {
    const call = await signIn(system, facts);
    const { user } = (await call("/api/auth/session")) as { user: { id: string } };
    const { aliases } = (await call(`/api/aliases/${user.id}`)) as { aliases: AliasWire[] };
    expect(aliases.map((it) => `${it.alias}@${it.domain}`).sort()).toEqual(Object.values(facts.aliases).sort());
    expect(aliases.find((it) => it.alias === "rent.k7")).toMatchObject({
      forwardTo: "owner@inbox.example, rasa@inbox.example",
      notes: "notes of rent.k7",
    });
    expect(aliases.find((it) => it.alias === "forum.k7")).toMatchObject({ active: false });
    const hook = aliases.find((it) => it.alias === "hook.k7");
    expect(await call(`/api/aliases/${hook?.id}/webhook-secret`)).toEqual({ secret: facts.webhookSecret });
  });

  test("the SMTP password still signs in", async () => {
    const talk = await secureTalk(system.submissionPort);
    expect(await talk.ask(authPlain(facts.smtp))).toMatch(/^235 /);
    talk.close();
  });

  test("an answer to a reply address of that version reaches the correspondent as the alias", async () => {
    const message = `From: owner@inbox.example\r\nTo: ${facts.replyAddress}\r\nSubject: Re: forwarded\r\n\r\nmy answer\r\n`;
    const mail = { port: system.mxPort, from: "owner@inbox.example", to: facts.replyAddress, message };
    expect((await sendMail(mail)).last).toMatch(/^250 /);
    await arrived("Re: forwarded", 1);
    const answer = mx.messages.find((it) => it.bytes.includes("Subject: Re: forwarded"));
    expect(answer).toMatchObject({ envelopeFrom: facts.aliases.shop, rcptTo: ["ann@sender.example"] });
    expect(answer?.bytes.toString("latin1")).not.toContain("owner@inbox.example");
  });

  test("a bounce to an envelope sender of that version is recognized", async () => {
    const message = "From: MAILER-DAEMON@inbox.example\r\nSubject: Undelivered\r\n\r\nnobody here\r\n";
    const bounce = { port: system.mxPort, from: "", to: facts.bounceAddress, message };
    const { replies } = await sendMail(bounce);
    expect(replies[1]).toMatch(/^250 /);
  });
});

function unpack(name: string, dataDir: string): void {
  const tar = `${dataDir}.tar`;
  writeFileSync(tar, zstdDecompressSync(readFileSync(join(folder, `${name}.tar.zst`))));
  execFileSync("tar", ["-xf", tar, "-C", dataDir]);
  rmSync(tar);
}

async function signIn({ url }: TestSystem, { email, password }: Facts) {
  const answer = await fetch(`${url}/api/auth/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email, password }),
  });
  expect(answer.status).toBe(200);
  const cookie = (answer.headers.get("set-cookie") ?? "").split(";", 1)[0] ?? "";
  return async (path: string): Promise<unknown> => (await fetch(`${url}${path}`, { headers: { cookie } })).json();
}
