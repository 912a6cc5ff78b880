/** Who may register: with a password, a wallet and Google, while registration is closed or by invitation. */
import { registrationMessages } from "@kauke/contract";
import { makeWalletKey, proveWallet, type WalletKey } from "@kauke/testkit/wallet-key";
import { expect, it } from "vitest";
import { setUpGoogleSignIn } from "../google/google-sign-in.testing.ts";
import { type TestServer, Visitor } from "../test/test-server.ts";

const { startServer, server: open, signIn: signInByGoogle, issuer, visitor } = await setUpGoogleSignIn();

const closed = { message: registrationMessages.closed, code: "registration_closed" };

async function signInByWallet(server: TestServer, key: WalletKey) {
  const person = new Visitor(server);
  const { body } = await person.call("walletSignIn", { body: { walletAddress: key.address } });
  return person.call("walletSignIn", { body: proveWallet(key, body.challenge) });
}

it("while registration is closed, no way of signing in creates an account", async () => {
  const server = await startServer({ store: open.store, config: { registration: "closed" } });
  const before = await server.store.users.count();
  const byPassword = await visitor(server).call("register", {
    body: { email: "new@example.org", password: "12345678" },
  });
  expect(byPassword).toMatchObject({ status: 403, body: closed });
  expect(await signInByWallet(server, makeWalletKey())).toMatchObject({ status: 403, body: closed });
  const { who } = await signInByGoogle(visitor(server));
  expect(who.cookies.get("google-login-failed")).toBe("registration_closed");
  expect(await server.store.users.count()).toBe(before);
  await server.close();
});

it("while registration is closed, a taken e-mail gets the same refusal as a free one", async () => {
  const server = await startServer({ store: open.store, config: { registration: "closed" } });
  await visitor().register("taken@example.org");
  const reply = await visitor(server).call("register", { body: { email: "taken@example.org", password: "12345678" } });
  expect(reply).toMatchObject({ status: 403, body: closed });
  await server.close();
});

it("existing accounts sign in by password, wallet and Google while registration is closed", async () => {
  const server = await startServer({ store: open.store, config: { registration: "closed" } });
  const key = makeWalletKey();
  await visitor().register("ann@example.org", "correct horse");
  await signInByWallet(open, key);
  await signInByGoogle();
  const login = await visitor(server).call("login", { body: { email: "ann@example.org", password: "correct horse" } });
  expect(login.status).toBe(200);
  expect((await signInByWallet(server, key)).status).toBe(200);
  const { reply } = await signInByGoogle(visitor(server));
  expect([reply.status, reply.headers.location, issuer.refusal]).toEqual([302, "/dashboard", null]);
  await server.close();
});
