/** Every way to create an account stores which block of addresses it came from, as a keyed hash for the mail path. */
import { makeWalletKey, proveWallet } from "@kauke/testkit/wallet-key";
import { expect, it } from "vitest";
import { insertAlias } from "../../store/stores.testing.ts";
import { begin, comeBack, consent, setUpGoogleSignIn } from "../google/google-sign-in.testing.ts";
import { Visitor } from "../test/test-server.ts";

const { server } = await setUpGoogleSignIn();

function visitorAt(address: string): Visitor {
  const visitor = new Visitor(server);
  visitor.address = address;
  return visitor;
}

async function byWallet(who: Visitor): Promise<void> {
  const key = makeWalletKey();
  const { body } = await who.call("walletSignIn", { body: { walletAddress: key.address } });
  expect((await who.call("walletSignIn", { body: proveWallet(key, body.challenge) })).status).toBe(200);
}

async function byGoogle(who: Visitor): Promise<void> {
  await comeBack(who, await consent(await begin(who)));
}

const ways: [name: string, create: (who: Visitor) => Promise<unknown>][] = [
  ["a password", (who) => who.register()],
  ["a wallet", byWallet],
  ["a Google account", byGoogle],
];

async function registeredFrom(who: Visitor): Promise<string | undefined> {
  const { status, body } = await who.call("getSession");
  expect(status).toBe(200);
  const { id } = await insertAlias(server.store, body.user.id);
  return (await server.store.aliases.findRouteById(id))?.registeredFrom;
}

it.each(ways)("an account created by %s", async (_, create) => {
  const [account, neighbour, other, behindProxy] = ["192.0.2.1", "192.0.2.200", "203.0.113.1", "127.0.0.1"].map(
    visitorAt,
  );
  for (const who of [neighbour, other, behindProxy]) await who?.register();
  await create(account as Visitor);
  const from = await registeredFrom(account as Visitor);
  expect(from).toMatch(/^[\w+/]{16}$/);
  expect(await registeredFrom(neighbour as Visitor)).toBe(from);
  expect(await registeredFrom(other as Visitor)).not.toBe(from);
  expect(await registeredFrom(behindProxy as Visitor)).toBeUndefined();
});
