/** Attacks on registration by invitation: guessed tokens, a token used many times, and more invitations than may be open. */
import { controlHandlers } from "@kauke/server/cli/control/server-facts";
import { startTestServer, type TestServer, Visitor } from "@kauke/server/http/test/test-server";
import { limitNames } from "@kauke/server/limits/named-limits";
import { bounds } from "@kauke/server/limits/table";
import { systemRandom } from "@kauke/server/runtime/ports";
import { readConfig } from "@kauke/server/settings/read-config";
import { afterAll, beforeAll, expect, test } from "vitest";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ config: { registration: "invite" } });
});
afterAll(() => server.close());

const control = () => {
  const { config } = readConfig({ KAUKE_REGISTRATION: "invite" }, "/tmp", limitNames);
  return controlHandlers({
    config,
    store: server.store,
    resolver: null,
    issuer: null,
    provider: null,
    ports: {},
    clock: server.clock,
    random: systemRandom,
  });
};
const tokenOf = ({ link }: { link: string }) => link.split("#invite=")[1] ?? "";
const invite = async () => tokenOf(await control()["invites-create"]({ address: "", days: 7 }));
const bodyWith = (token: string) => ({
  email: `${systemRandom.uuid()}@example.org`,
  password: "correct horse",
  invite: token,
});

test("a network that guesses tokens is limited as one that registers, and others still use theirs", async () => {
  const guesser = new Visitor(server);
  const tried: number[] = [];
  for (let at = 0; at < 30; at++)
    tried.push((await guesser.call("register", { body: bodyWith("a".repeat(31) + "bcdefg"[at % 6]) })).status);
  expect(new Set(tried)).toEqual(new Set([403, 429]));
  expect((await new Visitor(server).call("register", { body: bodyWith(await invite()) })).status).toBe(201);
  expect((await guesser.call("register", { body: bodyWith(await invite()) })).status).toBe(429);
});

test("a token that many networks send at the same moment creates one account", async () => {
  const token = await invite();
  const before = await server.store.users.count();
  const replies = await Promise.all(
    Array.from({ length: 40 }, () => new Visitor(server).call("register", { body: bodyWith(token) })),
  );
  expect(replies.filter(({ status }) => status === 201)).toHaveLength(1);
  expect(await server.store.users.count()).toBe(before + 1);
});

test("no more invitations are open than may be, and one that is revoked makes room for another", async () => {
  const { open } = bounds.openInvites;
  const calls = control();
  const listed = await calls["invites-list"]({ withAddress: false });
  for (let made = listed.length; made < open; made++) await calls["invites-create"]({ address: "", days: 1 });
  await expect(invite()).rejects.toThrow(`There are ${open} open invitations`);
  const [first] = await calls["invites-list"]({ withAddress: false });
  expect(await calls["invites-revoke"]({ id: first?.id ?? "" })).toBe(true);
  expect(await invite()).toMatch(/^[a-z2-7]{32}$/);
}, 60_000);

test("the operator's socket refuses an invitation with an odd address or number of days", async () => {
  for (const ask of [
    { address: "no address", days: 7 },
    { address: "", days: 0 },
    { address: "", days: 91 },
    { address: "", days: 1.5 },
    { address: "", days: Number.NaN },
  ])
    await expect(control()["invites-create"](ask)).rejects.toThrow("needs a valid address");
});
