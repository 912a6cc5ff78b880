/** Accounts and schema by the operator's command, beside a real server and without one. */
import { type Person, registerPerson } from "@kauke/testkit/person";
import { kaukeInTurns } from "@kauke/testkit/programs/kauke-in-turns";
import { makeDataDir, removeDataDirs, type ServerProcess, startServerProcess } from "@kauke/testkit/server-process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const canary = "jonas.canary@people.example";
let dataDir: string;
let server: ServerProcess;
let jonas: Person;
let ona: Person;
const kauke = (...args: string[]) => kaukeInTurns(args, { dataDir });

beforeAll(async () => {
  dataDir = await makeDataDir();
  server = await startServerProcess({ dataDir });
  jonas = await registerPerson(server.url, canary);
  ona = await registerPerson(server.url, "ona@people.example");
  await jonas.createAlias({ alias: "shop", forwardTo: "jonas@inbox.example" });
}, 120_000);
afterAll(async () => {
  await server.kill();
  await removeDataDirs();
});

describe("beside a running server", () => {
  it("every account is listed, and no address with it unless asked for", async () => {
    const { code, out, err } = await kauke("users");
    expect([code, err]).toEqual([0, ""]);
    expect(out).toContain(jonas.user.id);
    expect(out).toContain(ona.user.id);
    expect(out).not.toContain("@");
    expect((await kauke("users", "--show-addresses")).out).toMatch(new RegExp(`^${jonas.user.id} .*${canary}$`, "m"));
    const listed = JSON.parse((await kauke("users", "--json")).out) as { id: string; aliases: number }[];
    expect(listed.find((it) => it.id === jonas.user.id)).toMatchObject({ aliases: 1, authMethod: "email" });
    expect(JSON.stringify(listed)).not.toContain("@");
  });

  it("an account is found by its e-mail address in any case, and a missing one is reported", async () => {
    const found = await kauke("users", "find", canary.toUpperCase());
    expect([found.code, found.out.includes(jonas.user.id)]).toEqual([0, true]);
    const missing = await kauke("users", "find", "nobody@people.example");
    expect([missing.code, missing.err]).toEqual([1, "No account has this e-mail address.\n"]);
  });

  it("signing an account out ends its sessions and API keys, and nobody else's", async () => {
    const made = { name: "browser", scopes: ["account:read"] };
    const [own, other] = [await ona.call("POST", "/api/keys", made), await jonas.call("POST", "/api/keys", made)];
    const statusByKey = async ({ body }: { body: unknown }) => {
      const headers = { authorization: `Bearer ${(body as { secret: string }).secret}` };
      return (await fetch(`${server.url}/api/auth/session`, { headers })).status;
    };
    expect([await statusByKey(own), await statusByKey(other)]).toEqual([200, 200]);
    expect((await kauke("users", "end-sessions", ona.user.id)).code).toBe(0);
    expect((await ona.call("GET", "/api/auth/session")).status).toBe(401);
    expect((await jonas.call("GET", "/api/auth/session")).status).toBe(200);
    expect([await statusByKey(own), await statusByKey(other)]).toEqual([401, 200]);
  });

  it("an account is made an admin by its e-mail or id, which is listed, and what that allows is printed", async () => {
    const given = await kauke("users", "grant-admin", canary);
    expect([given.code, given.err]).toEqual([0, ""]);
    expect(given.out).toMatch(/^The account is an admin\. On \S+\/admin it sees /);
    expect((await kauke("users")).out).toMatch(new RegExp(`^${jonas.user.id} .* {2}admin$`, "m"));
    const taken = await kauke("users", "revoke-admin", jonas.user.id);
    expect([taken.code, taken.out]).toEqual([0, "The account is no admin any more.\n"]);
    expect((await kauke("users")).out).not.toContain("admin");
    for (const nobody of ["nobody@people.example", "../etc", "00000000-0000-4000-8000-000000000000"])
      expect((await kauke("users", "grant-admin", nobody)).code).toBe(1);
    const acts = JSON.parse((await kauke("acts", "--json")).out) as { by: string; act: string; on: string }[];
    const ofAdmins = acts.filter(({ act }) => act.startsWith("admin"));
    expect(ofAdmins.map(({ by, act, on }) => [by, act, on])).toEqual([
      ["command", "admin_revoked", jonas.user.id],
      ["command", "admin_granted", jonas.user.id],
    ]);
    expect((await kauke("queue")).out).toBe("The queue is empty.\n");
  });

  it("deleting requires --yes, then deletes everything at once", async () => {
    const asked = await kauke("users", "delete", ona.user.id);
    expect([asked.code, asked.err.includes("--yes")]).toEqual([2, true]);
    expect((await kauke("users", "find", "ona@people.example")).code).toBe(0);
    expect((await kauke("users", "delete", ona.user.id, "--yes")).code).toBe(0);
    expect((await kauke("users", "find", "ona@people.example")).code).toBe(1);
    const again = await kauke("users", "delete", ona.user.id, "--yes");
    expect([again.code, again.err.includes("no account")]).toEqual([1, true]);
    expect((await kauke("users", "delete", "../etc", "--yes")).code).toBe(1);
  });

  it("a mailbox that is not blocked is reported as such, and so is text that is not an address", async () => {
    expect((await kauke("users", "unblock-mailbox", "ann@inbox.example")).err).toBe("This mailbox is not blocked.\n");
    expect((await kauke("users", "unblock-mailbox", "ann")).code).toBe(2);
  });

  it("an invitation's link is printed once, listed without its address or token, and revoked once", async () => {
    const made = await kauke("users", "invite", "--for", "Vita.Canary@people.example", "--days", "2");
    expect([made.code, made.err]).toEqual([0, ""]);
    const [, token = ""] = /^http:\/\/localhost:\d+\/register#invite=([a-z2-7]{32})$/m.exec(made.out) ?? [];
    expect(token).not.toBe("");
    expect(made.out).toContain("set KAUKE_REGISTRATION=invite");
    const listed = await kauke("users", "invitations");
    expect([listed.out.includes("one address"), listed.out.includes("@"), listed.out.includes(token)]).toEqual([
      true,
      false,
      false,
    ]);
    expect((await kauke("users", "invitations", "--show-addresses")).out).toContain("Vita.Canary@people.example");
    const [{ id, createdAt, expiresAt }] = JSON.parse((await kauke("users", "invitations", "--json")).out);
    expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBe(2 * 86_400_000);
    expect((await kauke("users", "uninvite", id)).code).toBe(0);
    const again = await kauke("users", "uninvite", id);
    expect([again.code, again.err.includes("no open invitation")]).toEqual([1, true]);
    expect((await kauke("users", "invitations")).out).toBe("There are no open invitations.\n");
  });

  it.each([
    ["--days", "0"],
    ["--days", "91"],
    ["--days", "1.5"],
    ["--days", "x"],
    ["--for", "vita"],
    ["--for", ""],
  ])("an invitation with %s %j is refused", async (option, value) => {
    expect((await kauke("users", "invite", option, value)).code).toBe(2);
  });

  it("the schema is up to date, and the server's log contains no address", async () => {
    const { code, out } = await kauke("migrate", "--check");
    expect([code, out.trimEnd().split("\n").at(-1)]).toEqual([0, "The schema is up to date."]);
    expect(server.output()).not.toMatch(/canary|ona@people/);
  });
});

it("without a server the same commands open the data themselves", async () => {
  await server.stop();
  const listed = await kauke("users", "--json");
  expect(JSON.parse(listed.out)).toMatchObject([{ id: jonas.user.id, aliases: 1 }]);
  const state = JSON.parse((await kauke("migrate", "--check", "--json")).out) as {
    applied: unknown[];
    pending: unknown[];
  };
  expect([state.applied.length > 3, state.pending]).toEqual([true, []]);
  const { link } = JSON.parse((await kauke("users", "invite", "--json")).out) as { link: string };
  expect(link).toMatch(/^http:\/\/localhost:\d+\/register#invite=[a-z2-7]{32}$/);
  expect(JSON.parse((await kauke("users", "invitations", "--json")).out)).toMatchObject([{ isBound: false }]);
}, 60_000);

it("a directory that no server has used yet has every migration pending; migrate applies them, once", async () => {
  const fresh = await makeDataDir();
  const at = (...args: string[]) => kaukeInTurns(args, { dataDir: fresh });
  const before = await at("migrate", "--check");
  expect([before.code, before.out.includes("waiting")]).toEqual([1, true]);
  const applied = await at("migrate");
  expect([applied.code, applied.out.includes("waiting")]).toEqual([0, false]);
  expect((await at("migrate", "--check")).code).toBe(0);
}, 60_000);
