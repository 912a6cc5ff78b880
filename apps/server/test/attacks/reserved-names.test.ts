/**
 * Names blocked wholesale: accounts that import thousands of names and are deleted leave them reserved for a month.
 * Addresses that only an import made and nobody used are reserved within caps; those that somebody wrote to always are.
 */
import { startTestServer, TestClock, type TestServer, Visitor } from "@kauke/server/http/test/test-server";
import { openStore } from "@kauke/server/store/open-store";
import { setUpForwarding } from "@kauke/testkit/forwarding-system";
import { type Person, registerPerson } from "@kauke/testkit/person";
import { sendMail } from "@kauke/testkit/send-mail";
import { smtpTalk } from "@kauke/testkit/smtp-talk";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const caps = { account: 20, network: 30, block: 1000 };
const names = (word: string, count: number) => Array.from({ length: count }, (_, at) => `${word}${at}`);
const fileOf = (all: readonly string[]) =>
  `alias,note,enabled,mailboxes\n${all.map((name) => `${name}@kauke.test,,${!name.startsWith("paused")},a@b.example`).join("\n")}\n`;

describe("over HTTP", () => {
  let server: TestServer;
  const clock = new TestClock();
  beforeAll(async () => {
    const store = await openStore({ databaseUrl: null, dataDir: null, secretKey: null, clock, releaseCaps: caps });
    server = await startTestServer({ store, clock, config: { trustedProxies: ["127.0.0.1"] } });
  });
  afterAll(async () => {
    await server.close();
    await server.store.close();
  });

  async function visitorFrom(network: string): Promise<Visitor> {
    const visitor = new Visitor(server);
    visitor.address = "127.0.0.1";
    const send = visitor.send.bind(visitor);
    visitor.send = (options) => send({ ...options, headers: { ...options.headers, "x-forwarded-for": network } });
    return visitor.register();
  }

  async function imported(visitor: Visitor, all: readonly string[]): Promise<void> {
    const headers = { "content-type": "application/octet-stream" };
    const sent = { method: "POST" as const, url: "/api/imports", payload: Buffer.from(fileOf(all)), headers };
    const { importId } = (await visitor.send(sent)).body;
    await visitor.call("runImport", { params: { importId } });
    await expect.poll(async () => (await visitor.call("listAliases")).body.aliases.length).toBe(all.length);
  }

  const reservedAmong = async (all: readonly string[]) => {
    const stranger = await visitorFrom("203.0.113.200");
    return (
      await server.store.aliases.standing(
        stranger.userId,
        all.map((name) => `${name}@kauke.test`),
      )
    ).size;
  };

  test("deleted accounts of one network leave few of their imported names reserved", async () => {
    const all = ["zebra", "badger", "walrus"].map((word) => names(word, 60));
    for (const some of all) {
      const mallory = await visitorFrom("198.51.100.1");
      await imported(mallory, some);
      expect(await reservedAmong(some)).toBe(60);
      expect((await mallory.call("deleteAccount")).status).toBe(200);
    }
    expect(await reservedAmong(all.flat())).toBe(caps.network);
  });

  test("imported names that are deleted at once and replaced by others are reserved within the same cap", async () => {
    const mallory = await visitorFrom("198.51.100.2");
    for (const word of ["heron", "otter"]) {
      await imported(mallory, names(word, 60));
      const aliasIds = (await mallory.call("listAliases")).body.aliases.map((it: { id: string }) => it.id);
      const { body } = await mallory.call("changeAliases", { body: { aliasIds, change: { delete: true } } });
      expect(body).toMatchObject({ changed: 60, failed: [] });
    }
    expect(await reservedAmong([...names("heron", 60), ...names("otter", 60)])).toBe(caps.account);
  });

  test("beyond the cap the deletion of a used alias answers when it is possible, and that it can be paused", async () => {
    const ann = await visitorFrom("198.51.100.3");
    const made: string[] = [];
    for (let n = 0; n <= caps.account; n++) made.push((await ann.createAlias({ alias: `daily${n}` })).id);
    const remove = (aliasId: string) => ann.call("deleteAlias", { params: { aliasId } });
    const [last = "", ...others] = made;
    for (const aliasId of others) expect((await remove(aliasId)).status).toBe(200);
    const { status, body } = await remove(last);
    expect([status, body.code]).toEqual([429, "rate_limited"]);
    expect(body.message).toContain("pause those");
    expect(new Date(body.resetTime).getTime() - clock.now().getTime()).toBe(30 * 86_400_000);
    const bulk = await ann.call("changeAliases", { body: { aliasIds: [last], change: { delete: true } } });
    expect(bulk.body).toMatchObject({ changed: 0, failed: [{ id: last, code: "rate_limited" }] });
    expect((await ann.call("deleteAccount")).status).toBe(200);
    expect(await reservedAmong(names("daily", caps.account + 1))).toBe(caps.account + 1);
  });
});

describe("over SMTP", async () => {
  const { mx, system } = await setUpForwarding();

  async function call(person: Person, method: string, path: string, file?: string) {
    const headers = {
      cookie: person.cookie,
      ...(file === undefined ? {} : { "content-type": "application/octet-stream" }),
    };
    const response = await fetch(`${system.url}${path}`, {
      method,
      headers,
      ...(file === undefined ? {} : { body: file }),
    });
    return (await response.json()) as { importId: string; state: string; undone: number; kept: string[] };
  }

  async function imported(person: Person, all: readonly string[]): Promise<string> {
    const { importId } = await call(person, "POST", "/api/imports", fileOf(all));
    await call(person, "POST", `/api/imports/${importId}/run`);
    await expect.poll(async () => (await call(person, "GET", `/api/imports/${importId}`)).state).toBe("done");
    return importId;
  }

  test("an address that a sender wrote to, or named in RCPT TO, is never let go: not by an undo, nor with the account", async () => {
    const person = await registerPerson(system.url);
    const importId = await imported(person, ["mailed", "named", "paused", "silent"]);
    const here = (name: string) => `${name}@kauke.test`;
    expect(
      (await sendMail({ port: system.mxPort, to: here("mailed"), message: "From: x@y.example\r\n\r\nx\r\n" })).last,
    ).toMatch(/^250 /);
    await mx.waitForMessages(1);
    const talk = await smtpTalk(system.mxPort);
    await talk.ask("EHLO x.example");
    await talk.ask("MAIL FROM:<x@y.example>");
    for (const name of ["named", "paused"]) expect(await talk.ask(`RCPT TO:<${here(name)}>`)).toMatch(/^250 /);
    talk.close();
    const standing = async () => {
      const stranger = await registerPerson(system.url);
      return [
        ...(
          await system.server.store.aliases.standing(
            stranger.user.id,
            ["mailed", "named", "paused", "silent"].map(here),
          )
        ).keys(),
      ].sort();
    };
    await call(person, "POST", `/api/imports/${importId}/undo`);
    await expect.poll(async () => (await call(person, "GET", `/api/imports/${importId}`)).state).toBe("undone");
    const { undone, kept } = await call(person, "GET", `/api/imports/${importId}`);
    expect([undone, kept.sort()]).toEqual([1, ["mailed", "named", "paused"].map(here)]);
    expect(await standing()).toEqual(["mailed", "named", "paused"].map(here));
    await system.server.store.users.delete(person.user.id);
    expect(await standing()).toEqual(["mailed", "named", "paused"].map(here));
  });
});
