import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { argon2Hasher } from "../../platform/workers/argon2-hasher.ts";
import { systemRandom } from "../../runtime/ports.ts";
import { sentMessagesTo as messagesOf } from "../test/sent-messages.ts";
import { startTestServer, type TestServer, Visitor } from "../test/test-server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const firefox = { "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0" };
const password = "correct horse";
const sent = "If an account with this e-mail exists, a message is on its way.";

async function person() {
  const email = `${systemRandom.uuid()}@people.example`;
  return Object.assign(await new Visitor(server).register(email), { email });
}

async function signedIn(email: string, word = password, headers?: Record<string, string>) {
  const visitor = new Visitor(server);
  const answer = await visitor.call("login", { body: { email, password: word }, headers });
  return Object.assign(visitor, { status: answer.status });
}

const sentMessagesTo = (email: string) => messagesOf(server, email);

/** Waits until this many messages to the mailbox are queued; the server queues them after its response. */
async function untilMessages(email: string, count: number): Promise<string[]> {
  await expect.poll(async () => (await sentMessagesTo(email)).length, { timeout: 30_000 }).toBe(count);
  return sentMessagesTo(email);
}

const tokensIn = (messages: readonly string[], page: "reset" | "confirm-email") =>
  messages.flatMap((it) => new RegExp(`http://localhost:3000/${page}#([a-z2-7]{32})\\r\\n`).exec(it)?.[1] ?? []);

const ask = (email: string, visitor = new Visitor(server)) => visitor.call("askPasswordReset", { body: { email } });
const reset = (token: string, word: string) =>
  new Visitor(server).call("resetPassword", { body: { token, password: word } });
const look = (token: string) => new Visitor(server).call("readPasswordReset", { body: { token } });

async function resetToken(email: string): Promise<string> {
  const before = (await sentMessagesTo(email)).length;
  expect((await ask(email)).status).toBe(202);
  return tokensIn(await untilMessages(email, before + 1), "reset").at(-1) ?? "";
}

describe("requesting a password reset", () => {
  it("gives everybody the same response, and mails only an account's own address as it is spelled there", async () => {
    const ann = await person();
    const nobody = `${systemRandom.uuid()}@people.example`;
    const answers = [await ask(nobody), await ask(ann.email.toUpperCase())];
    for (const { status, body } of answers) expect([status, body]).toEqual([202, { message: sent }]);
    expect(await untilMessages(ann.email, 1)).toHaveLength(1);
    expect(await sentMessagesTo(nobody)).toEqual([]);
  });

  it("responds before any look-up, so the time does not show whether an account exists", async () => {
    let lookUps = 0;
    const held = Promise.withResolvers<void>();
    const slow = await startTestServer();
    const { findByEmail } = slow.store.users;
    slow.store.users.findByEmail = async (email) => {
      lookUps++;
      await held.promise;
      return findByEmail(email);
    };
    expect((await new Visitor(slow).call("askPasswordReset", { body: { email: "a@b.example" } })).status).toBe(202);
    await expect.poll(() => lookUps).toBe(1);
    held.resolve();
    await slow.close();
  });

  it("is limited per mailbox in any spelling, with or without an account, and per network", async () => {
    const ann = await person();
    for (const email of [ann.email, `${systemRandom.uuid()}@nobody.example`]) {
      for (const _ of [1, 2, 3]) expect((await ask(email)).status).toBe(202);
      const spelled = email.toUpperCase().replace("@", "+x@");
      expect(await ask(spelled)).toMatchObject({ status: 429, body: { rateLimited: true } });
    }
    // The wait between two links is shorter than a link's lifetime, so even somebody who uses up the mailbox's limit
    // leaves its owner a link that works.
    for (let times = 0; times < 4; times++) {
      server.clock.advance(15 * 60 - 0.001);
      expect((await ask(ann.email)).status).toBe(429);
      server.clock.advance(0.001);
      expect((await ask(ann.email)).status).toBe(202);
    }
    const network = new Visitor(server);
    for (let count = 0; count < 30; count++) await ask(`${systemRandom.uuid()}@nobody.example`, network);
    expect((await ask(`${systemRandom.uuid()}@nobody.example`, network)).status).toBe(429);
    expect((await ask(`${systemRandom.uuid()}@nobody.example`)).status).toBe(202);
  });

  it("has a limit that a stranger's requests for sign-in links do not use up", async () => {
    const ann = await person();
    const askLink = () => new Visitor(server).call("askSignInLink", { body: { email: ann.email } });
    for (const _ of [1, 2, 3]) expect((await askLink()).status).toBe(202);
    expect((await askLink()).status).toBe(429);
    await untilMessages(ann.email, 3);
    expect(await reset(await resetToken(ann.email), "a new password")).toMatchObject({ status: 200 });
  });

  it("mails the owner of an address, whatever look-alike was registered before", async () => {
    const local = systemRandom.uuid();
    await new Visitor(server).register(`${local}mi\u212Ae@people.example`);
    expect((await ask(`${local}mike@people.example`)).status).toBe(202);
    expect(await untilMessages(`${local}miKe@people.example`, 1)).toHaveLength(1);
  });

  it("mails an unconfirmed mailbox a few times a day at most, and a confirmed one at every request", async () => {
    const [stranger, ann] = [await person(), await person()];
    await reset(await resetToken(ann.email), "a new password");
    server.clock.advance(86_400);
    for (let hour = 0; hour < 4; hour++) {
      for (const _ of [1, 2, 3]) for (const { email } of [stranger, ann]) expect((await ask(email)).status).toBe(202);
      // The server queues messages after its response, so they have to be in the queue before the clock moves on by an
      // hour.
      await untilMessages(ann.email, 2 + 3 * (hour + 1));
      server.clock.advance(3600);
    }
    expect(await sentMessagesTo(stranger.email)).toHaveLength(4);
    server.clock.advance(86_400);
    await ask(stranger.email);
    await untilMessages(stranger.email, 5);
  });

  it("mails nothing to a mailbox that blocked mail from this server", async () => {
    const [ann, other] = [await person(), await person()];
    await block(ann.email);
    expect((await ask(ann.email)).body).toEqual({ message: sent });
    await ask(other.email);
    await untilMessages(other.email, 1);
    expect(await sentMessagesTo(ann.email)).toEqual([]);
  });

  it("a message that cannot be queued is logged, and its link is invalid", async () => {
    const broken = await startTestServer();
    const email = `${systemRandom.uuid()}@people.example`;
    await new Visitor(broken).register(email);
    broken.store.bodies.put = () => Promise.reject(new Error(`disk full: ${email}`));
    const answer = await new Visitor(broken).call("askPasswordReset", { body: { email } });
    await broken.close();
    expect(answer.status).toBe(202);
    expect(broken.logged).toEqual([{ event: "account_mail_failed", fields: undefined }]);
  });
});

async function block(address: string): Promise<void> {
  const owner = await person();
  const tokenHash = createHash("sha256").update(address).digest();
  const tokenExpiresAt = new Date(server.clock.now().getTime() + 60_000);
  const request = {
    id: systemRandom.uuid(),
    userId: owner.userId,
    address,
    tokenHash,
    tokenExpiresAt,
    isByOwner: false,
  };
  await server.store.destinations.ask(request);
  await server.store.destinations.decideByLink(tokenHash, "block");
}

describe("a reset link", () => {
  it("sets the password once, ends every session, confirms the e-mail and is reported by mail", async () => {
    const ann = await person();
    const second = await signedIn(ann.email);
    const token = await resetToken(ann.email);
    expect((await look(token)).body).toEqual({ email: ann.email });
    expect((await reset(token, "a new password")).status).toBe(200);
    for (const visitor of [ann, second]) expect((await visitor.call("getSession")).status).toBe(401);
    expect((await signedIn(ann.email)).status).toBe(401);
    const anew = await signedIn(ann.email, "a new password");
    expect((await anew.call("getSignIn")).body.emailConfirmedAt).not.toBeNull();
    const messages = await untilMessages(ann.email, 2);
    expect(messages[1]).toContain("Subject: Your password was changed");
    for (const answer of [await reset(token, "once more again"), await look(token)])
      expect([answer.status, answer.body.code]).toEqual([404, "not_found"]);
    expect((await signedIn(ann.email, "a new password")).status).toBe(200);
  });

  it("expires after 30 minutes, or when a newer one is requested", async () => {
    const ann = await person();
    const old = await resetToken(ann.email);
    const fresh = await resetToken(ann.email);
    expect((await reset(old, "a new password")).status).toBe(404);
    server.clock.advance(29 * 60);
    expect((await look(fresh)).status).toBe(200);
    server.clock.advance(60);
    expect((await reset(fresh, "a new password")).status).toBe(404);
    expect((await signedIn(ann.email)).status).toBe(200);
  });

  it("validates the password as for a new account, and stays valid after an error", async () => {
    const ann = await person();
    const token = await resetToken(ann.email);
    const refused = await reset(token, "short");
    expect(refused.body.errors).toEqual({ password: ["Password must be at least 8 characters"] });
    expect((await reset(token, "long enough")).status).toBe(200);
  });

  it("is refused if malformed, a 404 if unknown, and has no GET route", async () => {
    expect((await look("short")).status).toBe(400);
    expect((await look("a".repeat(32))).status).toBe(404);
    expect((await reset("a".repeat(32), "a new password")).status).toBe(404);
    for (const url of ["/api/auth/password-reset", "/api/auth/password-reset/state"])
      expect((await new Visitor(server).send({ method: "GET", url })).status).toBe(404);
  });

  it("cannot confirm an address, and a confirmation link cannot set a password", async () => {
    const ann = await person();
    const token = await resetToken(ann.email);
    expect((await ann.call("confirmEmail", { body: { token } })).status).toBe(404);
    await ann.call("askEmailConfirmation");
    const [confirmation = ""] = tokensIn(await sentMessagesTo(ann.email), "confirm-email");
    expect((await reset(confirmation, "a new password")).status).toBe(404);
    expect((await ann.call("confirmEmail", { body: { token: confirmation } })).status).toBe(200);
  });

  it("ends a sign-in by the old password that was in progress", async () => {
    const ann = await person();
    const token = await resetToken(ann.email);
    const plain = argon2Hasher({ memoryKib: 8, passes: 1 });
    const [checked, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const verify: typeof plain.verify = async (...asked) => {
      const isRight = await plain.verify(...asked);
      checked.resolve();
      await go.promise;
      return isRight;
    };
    const slow = await startTestServer({
      store: server.store,
      hasher: { ...plain, hash: plain.hash, needsRehash: plain.needsRehash, verify },
    });
    const late = new Visitor(slow);
    const signing = late.call("login", { body: { email: ann.email, password } });
    await checked.promise;
    expect((await reset(token, "a new password")).status).toBe(200);
    go.resolve();
    expect((await signing).status).toBe(401);
    expect(await server.store.loginSessions.listForUser(ann.userId)).toEqual([]);
    await slow.close();
  });
});

describe("changing the password", () => {
  const change = (visitor: Visitor, currentPassword: string, newPassword = "a new password") =>
    visitor.call("changePassword", { body: { currentPassword, newPassword } });

  it("ends every other session and keeps this one with a new cookie", async () => {
    const ann = await person();
    const other = await signedIn(ann.email);
    const before = ann.cookies.get("sid");
    expect((await change(ann, password)).status).toBe(200);
    expect(ann.cookies.get("sid")).not.toBe(before);
    expect((await ann.call("getSession")).status).toBe(200);
    expect((await other.call("getSession")).status).toBe(401);
    const stale = new Visitor(server);
    stale.cookies.set("sid", before ?? "");
    expect((await stale.call("getSession")).status).toBe(401);
    expect((await signedIn(ann.email, "a new password")).status).toBe(200);
  });

  it("notifies a confirmed address, and no other", async () => {
    const [ann, ben] = [await person(), await person()];
    await reset(await resetToken(ann.email), "second password");
    await untilMessages(ann.email, 2);
    await change(ben, password);
    await change(await signedIn(ann.email, "second password"), "second password");
    await untilMessages(ann.email, 3);
    expect(await sentMessagesTo(ben.email)).toEqual([]);
  });

  it("reports a wrong current password for its field, counted with the sign-ins of this browser and network", async () => {
    const ann = await person();
    const errors = { currentPassword: ["This is not your current password"] };
    // The first ten wrong passwords count for the known browser, the next five for its network.
    for (let tries = 0; tries < 15; tries++)
      expect(await change(ann, "wrong")).toMatchObject({ status: 400, body: { errors } });
    expect((await change(ann, password)).status).toBe(429);
    expect((await ann.call("login", { body: { email: ann.email, password } })).status).toBe(429);
    expect((await signedIn(ann.email)).status).toBe(200);
    server.clock.advance(1);
    expect((await change(ann, password)).status).toBe(200);
  });

  it("is refused for an account without a password, and for an invalid new password", async () => {
    const ann = await person();
    const refused = await change(ann, password, "short");
    expect(refused.body.errors).toEqual({ newPassword: ["Password must be at least 8 characters"] });
    expect((await change(new Visitor(server), password)).status).toBe(401);
  });
});

describe("confirming the e-mail", () => {
  it("sends three links a day at most to all tagged addresses of a mailbox together; a link works once", async () => {
    const ann = await person();
    expect((await ann.call("getSignIn")).body).toEqual({
      email: ann.email,
      emailConfirmedAt: null,
      hasPassword: true,
      hasGoogle: false,
      hasWallet: false,
      freshForSeconds: 300,
    });
    const tagged = await new Visitor(server).register(ann.email.replace("@", "+two@"));
    const other = await new Visitor(server).register(ann.email.replace("@", "+three@"));
    for (const visitor of [tagged, other, tagged])
      expect((await visitor.call("askEmailConfirmation")).status).toBe(200);
    for (const visitor of [tagged, other]) expect((await visitor.call("askEmailConfirmation")).status).toBe(429);
    for (let times = 0; times < 3; times++) {
      expect((await ann.call("askEmailConfirmation")).status).toBe(200);
      server.clock.advance(1);
    }
    expect((await ann.call("askEmailConfirmation")).status).toBe(429);
    const [old = "", , token = ""] = tokensIn(await sentMessagesTo(ann.email), "confirm-email");
    expect((await ann.call("confirmEmail", { body: { token: old } })).status).toBe(404);
    expect((await tagged.call("confirmEmail", { body: { token } })).status).toBe(404);
    const { body } = await ann.call("confirmEmail", { body: { token } });
    expect(body.emailConfirmedAt).toBe(server.clock.now().toISOString());
    expect((await ann.call("confirmEmail", { body: { token } })).status).toBe(404);
    expect((await ann.call("askEmailConfirmation")).status).toBe(400);
  });

  it("needs the account's own session, so a stranger who clicks the link confirms nothing", async () => {
    const ann = await person();
    await ann.call("askEmailConfirmation");
    const [token = ""] = tokensIn(await sentMessagesTo(ann.email), "confirm-email");
    expect((await new Visitor(server).call("confirmEmail", { body: { token } })).status).toBe(401);
    expect((await (await person()).call("confirmEmail", { body: { token } })).status).toBe(404);
    server.clock.advance(24 * 3600);
    const later = await signedIn(ann.email);
    expect((await later.call("confirmEmail", { body: { token } })).status).toBe(404);
    expect((await later.call("getSignIn")).body.emailConfirmedAt).toBeNull();
  });

  it("is refused for a mailbox that blocked mail from this server", async () => {
    const ann = await person();
    await block(ann.email);
    expect((await ann.call("askEmailConfirmation")).status).toBe(400);
    expect(await sentMessagesTo(ann.email)).toEqual([]);
  });
});

describe("signed-in devices", () => {
  const list = async (visitor: Visitor) => (await visitor.call("listSessions")).body.sessions;

  it("are listed by browser and system, this one first, without token or address", async () => {
    const ann = await person();
    const second = await signedIn(ann.email, password, firefox);
    server.clock.advance(120);
    const own = await list(ann);
    expect(own).toMatchObject([
      { device: null, current: true },
      { device: "Firefox on Linux", current: false },
    ]);
    expect(Object.keys(own[0]).toSorted()).toEqual(["createdAt", "current", "device", "id", "lastSeenAt"]);
    expect((await list(second))[0]).toMatchObject({ device: "Firefox on Linux", current: true });
    server.clock.advance(30 * 60);
    expect(await list(await signedIn(ann.email))).toHaveLength(1);
  });

  it("can be signed out one by one: the next call there is 401, and ending the own session signs out", async () => {
    const ann = await person();
    const second = await signedIn(ann.email);
    const [own, other] = await list(ann);
    expect((await ann.call("endSession", { params: { sessionId: other.id } })).status).toBe(200);
    expect((await second.call("listAliases", { params: { userId: ann.userId } })).status).toBe(401);
    expect((await ann.call("endSession", { params: { sessionId: other.id } })).status).toBe(404);
    expect((await ann.call("endSession", { params: { sessionId: own.id } })).status).toBe(200);
    expect(ann.cookies.has("sid")).toBe(false);
    expect(await server.store.loginSessions.listForUser(ann.userId)).toEqual([]);
  });

  it("can be signed out all except this one; another account's cannot", async () => {
    const [ann, ben] = [await person(), await person()];
    for (const _ of [1, 2]) await signedIn(ann.email);
    const [foreign] = await list(ben);
    for (const sessionId of [foreign.id, "none"])
      expect((await ann.call("endSession", { params: { sessionId } })).status).toBe(404);
    expect((await ann.call("endOtherSessions")).body).toMatchObject({ ended: 2 });
    expect((await ann.call("endOtherSessions")).body).toMatchObject({ ended: 0 });
    for (const visitor of [ann, ben]) expect(await list(visitor)).toHaveLength(1);
  });
});
