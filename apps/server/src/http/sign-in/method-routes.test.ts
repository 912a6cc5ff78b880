/**
 * Linking and removing a wallet, and the recent proof of identity that every change of the ways to sign in needs. The
 * sign-in e-mail is in new-sign-in-email.test.ts.
 */
import { waysInMessages } from "@kauke/contract";
import { makeWalletKey, proveWallet } from "@kauke/testkit/wallet-key";
import { describe, expect, it } from "vitest";
import { Visitor } from "../test/test-server.ts";
import { ask, challenge, newAddress, prove, setUpWaysIn, use } from "./method-routes.testing.ts";

const { server, messages, untilMessages, person, elsewhere, getStale, tokenTo, confirmed, linkWallet, signInByWallet } =
  await setUpWaysIn();

describe("a session whose sign-in is more than five minutes old", () => {
  it("can change nothing, and gets an error code of its own", async () => {
    const ann = await person();
    const key = makeWalletKey();
    const proof = proveWallet(key, await challenge(ann, key, "link"));
    server.clock.advance(5 * 60 - 1);
    expect((await ann.call("getSignIn")).body.freshForSeconds).toBe(1);
    server.clock.advance(1);
    expect((await ann.call("getSignIn")).body.freshForSeconds).toBe(0);
    const before = await server.store.users.find(ann.userId);
    const wished = newAddress();
    const refused = [
      await ask(ann, wished),
      await ann.call("askWalletChallenge", { body: { walletAddress: key.address, purpose: "link" } }),
      await ann.call("linkWallet", { body: proof }),
      await ann.call("unlinkWallet"),
      await ann.call("linkGoogle"),
      await ann.call("unlinkGoogle"),
    ];
    for (const { status, body } of refused)
      expect([status, body]).toEqual([
        403,
        {
          code: "proof_needed",
          message: "Please sign in again first: this needs a sign-in within the last five minutes.",
        },
      ]);
    expect(await server.store.users.find(ann.userId)).toEqual(before);
    expect(await messages(wished)).toEqual([]);
  });

  it("is renewed by the password, under a new token, and the old one is invalid", async () => {
    const ann = await person();
    getStale();
    const thief = new Visitor(server);
    thief.cookies = new Map(ann.cookies);
    expect(await prove(ann)).toMatchObject({ status: 200, body: { freshForSeconds: 300 } });
    expect(ann.cookies.get("sid")).not.toBe(thief.cookies.get("sid"));
    expect((await ask(thief, newAddress())).status).toBe(401);
    expect((await ask(ann, newAddress())).status).toBe(202);
    expect((await ann.call("listSessions")).body.sessions).toHaveLength(1);
  });

  it("is not renewed by use, nor by another session's sign-in", async () => {
    const ann = await person();
    getStale();
    await ann.call("getSession");
    await elsewhere(ann);
    expect((await ask(ann, newAddress())).status).toBe(403);
  });

  it("is not renewed by a wrong password, and attempts are slowed down like sign-ins", async () => {
    const ann = await person();
    getStale();
    ann.cookies.delete("browser");
    for (let count = 0; count < 5; count++) {
      const { status, body } = await prove(ann, "wrong");
      expect([status, body.errors]).toEqual([400, { password: [waysInMessages.passwordWrong] }]);
    }
    // The sixth attempt in a row is allowed without a wait; the seventh comes too soon.
    await prove(ann, "wrong");
    expect((await prove(ann, "wrong")).status).toBe(429);
    expect((await ask(ann, newAddress())).status).toBe(403);
  });

  it("is renewed by the account's wallet only, and not by a signature for another purpose", async () => {
    const { who, body } = await signInByWallet(makeWalletKey());
    const other = makeWalletKey();
    const stranger = proveWallet(other, await challenge(who, other, "prove"));
    expect(await who.call("proveByWallet", { body: stranger })).toMatchObject({
      status: 401,
      body: { code: "wallet_unproven" },
    });
    expect((await who.call("getSession")).body.user.id).toBe(body.user.id);
    const key = makeWalletKey();
    const { who: ann } = await signInByWallet(key);
    const forLink = proveWallet(key, await challenge(ann, key, "link"));
    getStale();
    expect((await ann.call("proveByWallet", { body: forLink })).status).toBe(401);
    const proof = proveWallet(key, await challenge(ann, key, "prove"));
    expect(await ann.call("proveByWallet", { body: proof })).toMatchObject({
      status: 200,
      body: { freshForSeconds: 300 },
    });
    expect((await ann.call("proveByWallet", { body: proof })).status).toBe(401);
  });

  it("is renewed by a sign-in link that this browser requested", async () => {
    const ann = await confirmed(await person());
    getStale();
    await ann.call("askSignInLink", { body: { email: ann.email } });
    const message = (await untilMessages(ann.email, 2)).at(-1) ?? "";
    const token = /sign-in-link#([a-z2-7]{32})/.exec(message)?.[1] ?? "";
    expect((await ann.call("signInByLink", { body: { token } })).status).toBe(200);
    expect((await ask(ann, newAddress())).status).toBe(202);
  });
});

describe("a wallet", () => {
  it("is linked by its signature, signs in, and the account's e-mail is notified", async () => {
    const ann = await confirmed(await person());
    const { key, status, body } = await linkWallet(ann);
    expect([status, body]).toMatchObject([200, { hasWallet: true, hasPassword: true }]);
    expect((await signInByWallet(key)).body.user.id).toBe(ann.userId);
    expect((await untilMessages(ann.email, 2)).at(-1)).toContain("Subject: A wallet was linked to your account\r\n");
  });

  it("of another account is refused, without showing whose it is", async () => {
    const key = makeWalletKey();
    await signInByWallet(key);
    const ann = await person();
    const { status, body } = await linkWallet(ann, key);
    expect([status, body]).toEqual([409, { code: "way_in_taken", message: waysInMessages.walletTaken }]);
    expect((await ann.call("getSignIn")).body.hasWallet).toBe(false);
  });

  it("is not linked by a signature for signing in, nor signs in by one for linking or in another browser", async () => {
    const ann = await person();
    const key = makeWalletKey();
    const { body } = await ann.call("walletSignIn", { body: { walletAddress: key.address } });
    expect((await ann.call("linkWallet", { body: proveWallet(key, body.challenge) })).status).toBe(401);
    const forLink = proveWallet(key, await challenge(ann, key, "link"));
    expect((await ann.call("walletSignIn", { body: forLink })).status).toBe(401);
    const mallory = await person();
    const relayed = proveWallet(key, await challenge(ann, key, "link"));
    expect((await mallory.call("linkWallet", { body: relayed })).status).toBe(401);
    const forProof = proveWallet(key, await challenge(ann, key, "prove"));
    expect((await ann.call("linkWallet", { body: forProof })).status).toBe(401);
    const swapped = { ...proveWallet(key, await challenge(ann, key, "link")), walletAddress: makeWalletKey().address };
    expect((await ann.call("linkWallet", { body: swapped })).status).toBe(401);
    expect((await ann.call("getSignIn")).body.hasWallet).toBe(false);
  });

  it("does not replace one that is linked already", async () => {
    const ann = await person();
    await linkWallet(ann);
    expect(await linkWallet(ann)).toMatchObject({ status: 400, body: { message: waysInMessages.hasWallet } });
  });

  it("cannot sign in once removed: other sessions end, and a sign-in in progress fails", async () => {
    const ann = await confirmed(await person());
    const { key } = await linkWallet(ann);
    const { who: byWallet } = await signInByWallet(key);
    const late = new Visitor(server);
    const offered = await late.call("walletSignIn", { body: { walletAddress: key.address } });
    const proof = proveWallet(key, offered.body.challenge);
    const [reached, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const insert = server.store.loginSessions.insert;
    server.store.loginSessions.insert = async (session) => {
      reached.resolve();
      await held.promise;
      return insert(session);
    };
    const signIn = late.call("walletSignIn", { body: proof });
    await reached.promise;
    expect(await ann.call("unlinkWallet")).toMatchObject({ status: 200, body: { hasWallet: false } });
    held.resolve();
    server.store.loginSessions.insert = insert;
    expect((await signIn).status).toBe(401);
    expect((await byWallet.call("getSession")).status).toBe(401);
    expect((await ann.call("getSession")).status).toBe(200);
    expect((await untilMessages(ann.email, 3)).at(-1)).toContain(
      "Subject: The wallet was removed from your account\r\n",
    );
    expect((await signInByWallet(key)).body.user.id).not.toBe(ann.userId);
  });

  it("cannot be removed while it is the only way to sign in; an e-mail without a password does not count", async () => {
    const key = makeWalletKey();
    const { who } = await signInByWallet(key);
    const email = newAddress();
    expect(await who.call("unlinkWallet")).toMatchObject({ status: 409, body: { code: "last_way_in" } });
    await ask(who, email);
    await use(who, await tokenTo(email));
    expect((await who.call("unlinkWallet")).status).toBe(409);
    expect((await signInByWallet(key)).status).toBe(200);
    expect((await (await person()).call("unlinkWallet")).status).toBe(400);
    expect((await (await person()).call("unlinkGoogle")).status).toBe(400);
  });
});
