/** Changing the sign-in e-mail: a link to the new mailbox has to be used, and nothing shows who has that mailbox. */
import { waysInMessages } from "@kauke/contract";
import { makeWalletKey } from "@kauke/testkit/wallet-key";
import { describe, expect, it } from "vitest";
import { systemRandom } from "../../runtime/ports.ts";
import { Visitor } from "../test/test-server.ts";
import { ask, newAddress, password, setUpWaysIn, use } from "./method-routes.testing.ts";

const { server, messages, untilMessages, person, elsewhere, getStale, tokenTo, confirmed, signInByWallet } =
  await setUpWaysIn();

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
    await destinations.decideByLink(tokenHash, "mine");
    const sent = (await messages(mailbox)).length;
    expect((await ask(owner, mailbox)).status).toBe(202);
    expect((await ask(strangers[0] as Visitor, mailbox)).status).toBe(429);
    const token = await tokenTo(mailbox, sent + 1);
    expect((await use(owner, token)).status).toBe(200);
  });
});
