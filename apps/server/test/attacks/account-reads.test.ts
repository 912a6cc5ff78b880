/**
 * Reads of whole accounts: whoever makes a request must not choose what it costs everybody else. What is read for each
 * kind of request is counted; in the long rounds six full accounts make all of them at once, and change an alias now
 * and then, so that a list that was read before can't be used again.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { startTestServer, type TestServer, Visitor } from "@kauke/server/http/test/test-server";
import { inDirectory, plantAliases } from "@kauke/server/store/planted-rows.testing";
import { FakeMx } from "@kauke/testkit/fakes/fake-mx";
import { isLongRun } from "@kauke/testkit/long-rounds";
import { type Person, registerPerson } from "@kauke/testkit/person";
import { makeDataDir, removeDataDirs, startServerProcess } from "@kauke/testkit/server-process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { attackTime } from "./scenes/bystander.testing.ts";
import { expectServed, watchTimes } from "./scenes/bystander-times.testing.ts";
import { type RequestFrom, requestFrom } from "./scenes/request-from.testing.ts";

interface Attacker {
  userId: string;
  cookie: string;
  key: string;
  aliasId: string;
  mailboxId: string;
}

/** Every kind of request that needs all aliases of an account, or a number or some of them. */
function reads({ userId, cookie, key, aliasId, mailboxId }: Attacker): Record<string, RequestFrom> {
  const headers = { authorization: `Bearer ${key}` };
  const simpleLogin = { authentication: key };
  return {
    "the list": { path: `/api/aliases/${userId}`, cookie },
    "the mailboxes": { path: "/api/mailboxes", cookie },
    "the aliases of a mailbox": { path: `/api/mailboxes/${mailboxId}/aliases`, cookie },
    "a page of addy.io": { path: "/api/v1/aliases?page[size]=10", headers },
    "a search of addy.io, sorted": { path: "/api/v1/aliases?filter[search]=abc&sort=email", headers },
    "the account at addy.io": { path: "/api/v1/account-details", headers },
    "the recipients of addy.io": { path: "/api/v1/recipients", headers },
    "a page of SimpleLogin": { path: "/api/v2/aliases?page_id=0", headers: simpleLogin },
    "a search of SimpleLogin": {
      method: "POST",
      path: "/api/v2/aliases?page_id=0",
      headers: simpleLogin,
      body: { query: "abc" },
    },
    "the mailboxes at SimpleLogin": { path: "/api/v2/mailboxes", headers: simpleLogin },
    "the numbers of SimpleLogin": { path: "/api/stats", headers: simpleLogin },
    "the numbers": { path: "/api/account-stats", cookie },
    "some aliases at addy.io": {
      method: "POST",
      path: "/api/v1/aliases/get/bulk",
      headers,
      body: { ids: [aliasId] },
    },
    "the senders": { path: `/api/aliases/${userId}/with-smtp`, cookie },
  };
}

describe("a request that needs a whole account", () => {
  const ALIASES = 260;
  let server: TestServer;
  let ann: Visitor;
  let attacker: Attacker;
  let unsealed = 0;
  beforeAll(async () => {
    server = await startTestServer({ config: { limits: "off" } });
    ann = await new Visitor(server).register();
    for (let made = 0; made < ALIASES; made++) await ann.createAlias();
    const scopes = ["aliases:read", "aliases:write", "account:read"];
    const { secret } = (await ann.call("createApiKey", { body: { name: "k", scopes } })).body;
    const { keys } = server.store;
    const { open } = keys;
    keys.open = (table, id, sealed) => {
      if (table === "alias") unsealed += 1;
      return open(table, id, sealed);
    };
    const [mailbox] = (await ann.call("listMailboxes")).body.mailboxes;
    const [alias] = (await ann.call("listAliases")).body.aliases;
    attacker = { userId: ann.userId, cookie: "", key: secret, aliasId: alias.id, mailboxId: mailbox.id };
  });
  afterAll(() => server.close());

  const unsealedFor = async ({ method = "GET", path = "", cookie, headers = {}, body }: RequestFrom) => {
    const before = unsealed;
    const client = cookie === undefined ? new Visitor(server) : ann;
    const type = body === undefined ? {} : { "content-type": "application/json" };
    const { status } = await client.send({
      method: method as "GET",
      url: encodeURI(path),
      headers: { ...type, ...headers },
      ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
    });
    expect(status).toBe(200);
    return unsealed - before;
  };

  test("unseals its aliases once, however often it comes, until one of them is changed", async () => {
    const counted: Record<string, number> = {};
    for (const [name, read] of Object.entries(reads(attacker))) counted[name] = await unsealedFor(read);
    const some = { "some aliases at addy.io": 1 };
    expect(counted).toEqual({ ...Object.fromEntries(Object.keys(counted).map((name) => [name, 0])), ...some });
    // Control: after a change, the next request unseals all of them, and shows the change.
    const pinned = { aliasId: attacker.aliasId };
    expect((await ann.call("updateAlias", { params: pinned, body: { pinned: true } })).status).toBe(200);
    expect(await unsealedFor(reads(attacker)["the list"] ?? {})).toBe(ALIASES);
    const [first] = (await ann.call("listAliases")).body.aliases.filter((it: { pinned: boolean }) => it.pinned);
    expect(first.id).toBe(attacker.aliasId);
  });

  test("shares one reading with those that come at the same time", async () => {
    const pinned = { aliasId: attacker.aliasId };
    await ann.call("updateAlias", { params: pinned, body: { notes: "changed" } });
    const before = unsealed;
    const lists = await Promise.all(Array.from({ length: 20 }, () => ann.call("listAliases")));
    expect(unsealed - before).toBe(ALIASES);
    for (const { body } of lists) expect(body.aliases).toHaveLength(ALIASES);
  });
});

const ATTACKERS = 6;
const CONNECTIONS_EACH = 8;

describe.runIf(isLongRun)("six accounts of 10,000 aliases on eight connections each", () => {
  let relay: FakeMx;
  let server: Awaited<ReturnType<typeof startServerProcess>>;
  let owner: Person;
  let alias: string;
  const attackers: Attacker[] = [];
  beforeAll(async () => {
    relay = await FakeMx.start();
    const dataDir = await makeDataDir();
    const env = { KAUKE_RELAY_URL: `smtp://127.0.0.1:${relay.port}`, KAUKE_LIMITS: "off" };
    const first = await startServerProcess({ dataDir, env });
    owner = await registerPerson(first.url);
    const made = await owner.createAlias({ forwardTo: "bystander@inbox.example" });
    alias = `${made.alias}@${made.domain}`;
    const people: Person[] = [];
    for (let count = 0; count < ATTACKERS; count++) {
      const person = await registerPerson(first.url);
      await person.createAlias({ forwardTo: "eve@elsewhere.example" });
      people.push(person);
    }
    await first.stop();
    await inDirectory(dataDir, async (place) => {
      for (const { user } of people) await plantAliases(place, user.id, 9_999);
    });
    server = await startServerProcess({ dataDir, env });
    for (const { cookie, user } of people) attackers.push(await attackerOf(cookie, user.id));
  }, 300_000);
  afterAll(async () => {
    await server.kill();
    await relay.close();
    await removeDataDirs();
  });

  async function attackerOf(cookie: string, userId: string): Promise<Attacker> {
    const call = async (method: string, path: string, body?: unknown) =>
      JSON.parse((await requestFrom(server.httpPort, "127.66.0.1", { method, path, cookie, body })).text);
    const { secret: key } = await call("POST", "/api/keys", {
      name: "k",
      scopes: ["aliases:read", "aliases:write", "account:read"],
    });
    const [{ id: mailboxId }] = (await call("GET", "/api/mailboxes")).mailboxes;
    const [{ id: aliasId }] = (await call("GET", `/api/aliases/${userId}`)).aliases;
    return { userId, cookie, key, aliasId, mailboxId };
  }

  /** @returns responses by status */
  async function attack(): Promise<Record<string, number>> {
    const answers: Record<string, number> = {};
    const goesOn = attackTime();
    const connection = async (attacker: Attacker, at: number) => {
      const change = { method: "POST", path: "/api/v1/pinned-aliases", body: { id: attacker.aliasId } };
      const all = Object.values(reads(attacker));
      const requests = [...all, { ...change, headers: { authorization: `Bearer ${attacker.key}` } }];
      for (let n = at; goesOn(); n++) {
        const { status } = await requestFrom(server.httpPort, "127.66.0.1", requests[n % requests.length] ?? {});
        answers[status] = (answers[status] ?? 0) + 1;
      }
    };
    const connections = attackers.flatMap((it) =>
      Array.from({ length: CONNECTIONS_EACH }, (_, at) => connection(it, at)),
    );
    await Promise.all(connections);
    return answers;
  }

  test.each([
    ["elsewhere", "127.99.9.9"],
    ["in the attackers' block of networks", "127.66.0.77"],
  ])("delay neither mail nor pages nor sign-ins of people %s", { timeout: 300_000 }, async (where, from) => {
    const watched = { server, owner, alias, from };
    const idle = await watchTimes(watched, () => sleep(5000));
    let answers: Record<string, number> = {};
    const seen = await watchTimes(watched, async () => {
      answers = await attack();
    });
    expectServed(`reads of whole accounts, people ${where}`, { idle, seen });
    // Control: the attack was served too.
    expect(answers["200"]).toBeGreaterThan(50);
  });
});
