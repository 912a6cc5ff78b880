import { waysInMessages } from "@kauke/contract";
import { makeWalletKey, proveWallet, type WalletKey } from "@kauke/testkit/wallet-key";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemRandom } from "../../operate/random.ts";
import { sentMessagesTo } from "../test/sent-messages.ts";
import { startTestServer, type TestServer, Visitor } from "../test/test-server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const password = "correct horse";
const newAddress = () => `${systemRandom.uuid()}@new.example`;
const messages = (email: string) => sentMessagesTo(server, email);

async function untilMessages(email: string, count: number): Promise<string[]> {
  await expect.poll(async () => (await messages(email)).length, { timeout: 30_000 }).toBe(count);
  return messages(email);
}

async function person() {
  const email = `${systemRandom.uuid()}@people.example`;
  return Object.assign(await new Visitor(server).register(email), { email });
}
type Person = Awaited<ReturnType<typeof person>>;

/** Signs in to the same account from another browser. */
async function elsewhere({ email }: Pick<Person, "email">): Promise<Visitor> {
  const visitor = new Visitor(server);
  expect((await visitor.call("login", { body: { email, password } })).status).toBe(200);
  return visitor;
}

/** Lets the login session's proof of identity expire, but not the session itself. */
const getStale = () => server.clock.advance(5 * 60);

const ask = (who: Visitor, email: string) => who.call("askEmailChange", { body: { email } });
const use = (who: Visitor, token: string) => who.call("changeEmail", { body: { token } });
const prove = (who: Visitor, word = password) => who.call("proveByPassword", { body: { password: word } });

/** @returns the token of the newest link for a change of e-mail that was sent to the address `email` */
async function tokenTo(email: string, count = 1): Promise<string> {
  const last = (await untilMessages(email, count)).at(-1) ?? "";
  return /http:\/\/localhost:3000\/new-email#([a-z2-7]{32})\r\n/.exec(last)?.[1] ?? "";
}

async function confirmed(who: Person): Promise<Person> {
  await who.call("askEmailConfirmation");
  const [message = ""] = await untilMessages(who.email, 1);
  const token = /confirm-email#([a-z2-7]{32})/.exec(message)?.[1] ?? "";
  expect((await who.call("confirmEmail", { body: { token } })).status).toBe(200);
  return who;
}

async function challenge(who: Visitor, key: WalletKey, purpose: "link" | "prove") {
  const { status, body } = await who.call("askWalletChallenge", { body: { walletAddress: key.address, purpose } });
  expect(status, JSON.stringify(body)).toBe(200);
  return body.challenge;
}

async function linkWallet(who: Visitor, key = makeWalletKey()) {
  return { key, ...(await who.call("linkWallet", { body: proveWallet(key, await challenge(who, key, "link")) })) };
}

async function signInByWallet(key: WalletKey, who = new Visitor(server)) {
  const offered = await who.call("walletSignIn", { body: { walletAddress: key.address } });
  return { who, ...(await who.call("walletSignIn", { body: proveWallet(key, offered.body.challenge) })) };
}

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

describe("a new sign-in e-mail", () => {
  it("takes effect when its link is used: it signs in, is confirmed, and the former address is notified", async () => {
    const ann = await confirmed(await person());
    const other = await elsewhere(ann);
    const email = newAddress();
    expect(await ask(ann, email)).toMatchObject({ status: 202 });
    const token = await tokenTo(email);
    expect((await ann.call("getSignIn")).body.email).toBe(ann.email);
    expect((await ann.call("readEmailChange", { body: { token } })).body).toEqual({ email });
    // Requesting a link to a new e-mail needs a recent proof of identity; using the link does not.
    getStale();
    const { status, body } = await use(ann, token);
    expect([status, body]).toMatchObject([
      200,
      { email, emailConfirmedAt: server.clock.now().toISOString(), hasPassword: true },
    ]);
    expect((await other.call("getSession")).status).toBe(401);
    expect((await ann.call("getSession")).body.user.email).toBe(email);
    const notice = (await untilMessages(ann.email, 2)).at(-1) ?? "";
    expect(notice).toContain("Subject: Your sign-in e-mail was changed\r\n");
    expect(notice).toContain("postmaster@kauke.test");
    expect(notice).not.toContain(email.split("@")[0] as string);
    const signIn = (as: string) => new Visitor(server).call("login", { body: { email: as, password } });
    expect([(await signIn(ann.email)).status, (await signIn(email)).status]).toEqual([401, 200]);
    expect((await use(ann, token)).status).toBe(404);
    expect((await new Visitor(server).register(ann.email)).userId).not.toBe(ann.userId);
  });

  it("is mailed a link whether or not another account has it, and that is not looked up", async () => {
    const [ann, bob] = [await person(), await person()];
    const lookedUp: string[] = [];
    const { findByEmail } = server.store.users;
    server.store.users.findByEmail = (email) => {
      lookedUp.push(email);
      return findByEmail(email);
    };
    const free = newAddress();
    const answers = [await ask(ann, free), await ask(ann, bob.email)];
    server.store.users.findByEmail = findByEmail;
    expect(answers.map(({ status, body }) => [status, body])).toEqual(
      answers.map(() => [202, { message: "A message is on its way to the new e-mail" }]),
    );
    expect(lookedUp).toEqual([]);
    const sent = [await untilMessages(free, 1), await untilMessages(bob.email, 1)].map(([message = ""]) =>
      message.replace(/#\w+|^(?:To|Message-ID):.*|boundary="?\w+"?|--\w+/gm, ""),
    );
    expect(sent[0]).toBe(sent[1]);
    // The requester's account export does not show either whether the new e-mail belongs to another account.
    const { body } = await ann.call("exportAccount");
    expect(body.tables.one_time_token.rows).toHaveLength(1);
  });

  it("that another account has is reported only when its link is used, and stays with that account", async () => {
    const [ann, bob] = [await person(), await person()];
    await ask(ann, bob.email.toUpperCase());
    const token = await tokenTo(bob.email.toUpperCase());
    expect((await use(bob, token)).status).toBe(404);
    expect(await use(ann, token)).toMatchObject({ status: 409, body: { code: "email_taken" } });
    expect((await ann.call("getSignIn")).body.email).toBe(ann.email);
    expect((await bob.call("getSession")).body.user.email).toBe(bob.email);
  });

  it("is set only for the account that requested it: opening the link elsewhere changes nothing", async () => {
    const [mallory, ann] = [await person(), await person()];
    const email = newAddress();
    await ask(mallory, email);
    const token = await tokenTo(email);
    for (const call of ["readEmailChange", "changeEmail"] as const) {
      expect((await ann.call(call, { body: { token } })).status).toBe(404);
      expect((await new Visitor(server).call(call, { body: { token } })).status).toBe(401);
    }
    expect((await use(mallory, token)).status).toBe(200);
  });

  it("has a link that expires with a newer one, a new password, and after a day", async () => {
    const ann = await person();
    const [first, second, third] = [newAddress(), newAddress(), newAddress()];
    await ask(ann, first);
    const replaced = await tokenTo(first);
    await ask(ann, second);
    expect((await use(ann, replaced)).status).toBe(404);
    const changed = await tokenTo(second);
    const newPassword = "a new password";
    await ann.call("changePassword", { body: { currentPassword: password, newPassword } });
    expect((await use(ann, changed)).status).toBe(404);
    await ask(ann, third);
    const late = await tokenTo(third);
    server.clock.advance(86_400);
    const again = new Visitor(server);
    await again.call("login", { body: { email: ann.email, password: newPassword } });
    expect((await use(again, late)).status).toBe(404);
  });

  it("invalidates reset links that were sent to the former one", async () => {
    const ann = await person();
    await new Visitor(server).call("askPasswordReset", { body: { email: ann.email } });
    const [message = ""] = await untilMessages(ann.email, 1);
    const reset = /\/reset#([a-z2-7]{32})/.exec(message)?.[1] ?? "";
    const email = newAddress();
    await ask(ann, email);
    expect((await use(ann, await tokenTo(email))).status).toBe(200);
    const body = { token: reset, password: "the thief's own" };
    expect((await new Visitor(server).call("resetPassword", { body })).status).toBe(404);
    // The account's former mailbox was never confirmed, so it gets no message about the change.
    expect(await messages(ann.email)).toHaveLength(1);
  });

  it("must differ from the account's own in any spelling, and be a valid address", async () => {
    const ann = await person();
    expect((await ask(ann, ann.email.toUpperCase())).body.errors).toEqual({ email: [waysInMessages.emailIsYours] });
    expect((await ask(ann, "no address")).status).toBe(400);
  });

  it("is limited per account, per network, and per mailbox over all accounts", async () => {
    const ann = await person();
    for (let count = 0; count < 5; count++) expect((await ask(ann, newAddress())).status).toBe(202);
    expect((await ask(ann, newAddress())).status).toBe(429);
    const target = newAddress();
    for (let count = 0; count < 3; count++) expect((await ask(await person(), target)).status).toBe(202);
    const spelled = target.toUpperCase().replace("@", "+x@");
    expect((await ask(await person(), spelled)).status).toBe(429);
    const network = await person();
    for (let count = 0; count < 29; count++) {
      const next = await person();
      next.address = network.address;
      await ask(next, newAddress());
    }
    expect((await ask(network, newAddress())).status).toBe(202);
    const last = await person();
    last.address = network.address;
    expect((await ask(last, newAddress())).status).toBe(429);
  }, 60_000);

  it("is refused for a mailbox that blocked mail from this server", async () => {
    const ann = await person();
    const { isAnyBlocked } = server.store.destinations;
    server.store.destinations.isAnyBlocked = async () => true;
    const { status } = await ask(ann, newAddress());
    server.store.destinations.isAnyBlocked = isAnyBlocked;
    expect(status).toBe(400);
  });

  it("may be the first of a wallet account, which can then set a password", async () => {
    const { who } = await signInByWallet(makeWalletKey());
    const email = newAddress();
    await ask(who, email);
    expect(await use(who, await tokenTo(email))).toMatchObject({ status: 200, body: { email, hasPassword: false } });
    await new Visitor(server).call("askPasswordReset", { body: { email } });
    const message = (await untilMessages(email, 2)).at(-1) ?? "";
    const token = /\/reset#([a-z2-7]{32})/.exec(message)?.[1] ?? "";
    expect((await new Visitor(server).call("resetPassword", { body: { token, password } })).status).toBe(200);
    const signedIn = await elsewhere({ email });
    // The mailbox was confirmed before, so the reset does not remove the wallet.
    expect((await signedIn.call("getSignIn")).body).toMatchObject({ hasPassword: true, hasWallet: true });
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

describe("a mailbox that strangers request links for all day", () => {
  it("can still become the sign-in e-mail of an account that its reader confirmed it to", async () => {
    const owner = await person();
    const mailbox = newAddress();
    const { destinations } = server.store;
    const tokenHash = systemRandom.bytes(32);
    const tokenExpiresAt = new Date(server.clock.now().getTime() + 86_400_000);
    const request = { id: systemRandom.uuid(), userId: owner.userId, address: mailbox, tokenHash, tokenExpiresAt };
    expect(await destinations.ask({ ...request, isByOwner: true })).toEqual({ kind: "ask" });
    const strangers = [await person(), await person()];
    for (const stranger of [...strangers, ...strangers]) await ask(stranger, mailbox);
    expect((await ask(owner, mailbox)).status).toBe(429);
    await destinations.answerLink(tokenHash, "mine");
    const sent = (await messages(mailbox)).length;
    expect((await ask(owner, mailbox)).status).toBe(202);
    expect((await ask(strangers[0] as Visitor, mailbox)).status).toBe(429);
    const token = await tokenTo(mailbox, sent + 1);
    expect((await use(owner, token)).status).toBe(200);
  });
});
