import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { askForConfirmation } from "../../core/destination/confirmation.ts";
import { systemRandom } from "../../runtime/ports.ts";
import { startTestServer, type TestServer, Visitor } from "../test/test-server.ts";

const settings = { origin: "http://localhost:3000", domain: "kauke.test" };

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ confirmation: settings });
});
afterAll(() => server.close());

/** The token is only in the confirmation message, so the test reads it from the queue, as the delivery worker would. */
const lastToken = () => lastMailedToken("confirm", /\/confirm\/([a-z2-7]{32})/);

async function lastMailedToken(purpose: "confirm" | "account", link: RegExp): Promise<string> {
  const { store, clock } = server;
  const { deliveries: claimed } = await store.deliveries.claim({ now: clock.now(), leaseMs: 60_000, limit: 100 });
  const [last] = claimed.filter((it) => it.target.purpose === purpose).toReversed();
  if (last === undefined) throw new Error("no such message waits");
  const body = await store.bodies.get(last.messageId);
  return link.exec(body?.toString("utf8") ?? "")?.[1] ?? "";
}

async function asked() {
  const email = `${systemRandom.uuid()}@people.example`;
  const person = Object.assign(await new Visitor(server).register(email), { email });
  const address = `${systemRandom.uuid()}@inbox.example`;
  const alias = await person.createAlias({ forwardTo: address });
  const deps = { ...server.store, clock: server.clock, random: systemRandom, limitRules: null };
  await askForConfirmation(deps, settings, { userId: person.userId, address, isByOwner: false });
  return { person, address, alias, token: await lastToken() };
}

async function signIn(person: Visitor & { email: string }): Promise<void> {
  await person.call("login", { body: { email: person.email, password: "correct horse" } });
}

const say = (choice: string, token: string) =>
  new Visitor(server).call("answerConfirmation", { body: { token, choice } });
const look = (token: string) => new Visitor(server).call("readConfirmation", { body: { token } });
async function shown(person: Visitor) {
  return (await person.call("listAliases")).body.aliases[0].unconfirmed;
}

describe("a confirmation link", () => {
  it("needs no sign-in, and answering twice changes nothing more", async () => {
    const { person, address, token } = await asked();
    expect(await shown(person)).toEqual([{ address, state: "asked" }]);
    expect((await look(token)).body).toEqual({ state: "asked", mailbox: address });
    for (const _ of [1, 2]) expect((await say("mine", token)).body).toEqual({ state: "confirmed", mailbox: address });
    expect((await look(token)).body).toEqual({ state: "confirmed", mailbox: address });
    expect(await shown(person)).toBeUndefined();
  });

  it("is not used up by reading it or opening its page", async () => {
    const { person, address, token } = await asked();
    for (const end of ["", "/not-mine"]) {
      const answer = await new Visitor(server).send({ method: "GET", url: `/confirm/${token}${end}` });
      expect(answer.status).toBe(503); // The test's web app is not built.
    }
    for (const _ of [1, 2]) await look(token);
    expect((await new Visitor(server).send({ method: "GET", url: "/api/confirmation" })).status).toBe(404);
    expect(await shown(person)).toEqual([{ address, state: "asked" }]);
  });

  it("the answer may change from mine to not mine; the owner gets one notice", async () => {
    const { person, address, token } = await asked();
    await say("mine", token);
    for (const _ of [1, 2]) expect((await say("not_mine", token)).body).toEqual({ state: "refused" });
    expect(await shown(person)).toEqual([{ address, state: "refused" }]);
    const { notices } = (await person.call("listNotices")).body;
    expect(notices).toEqual([expect.objectContaining({ kind: "not_yours", text: expect.stringContaining(address) })]);
  });

  it("blocking makes every account's aliases refuse the mailbox on create and edit", async () => {
    const { address, token } = await asked();
    expect((await say("block", token)).body).toEqual({ state: "blocked" });
    const other = await new Visitor(server).register();
    const forwardTo = address.replace("@", "+tag@").toUpperCase();
    const errors = { forwardTo: ["A mailbox here has asked to get no mail from this server"] };
    const body = { alias: "blocked-one", domain: "kauke.test", forwardTo };
    expect(await other.call("createAlias", { body })).toMatchObject({ status: 400, body: { errors } });
    const alias = await other.createAlias();
    const params = { aliasId: alias.id };
    expect(await other.call("updateAlias", { params, body: { forwardTo } })).toMatchObject({
      status: 400,
      body: { errors },
    });
    expect((await other.call("updateAlias", { params, body: { lastForwardTo: forwardTo } })).status).toBe(400);
  });

  it("is a 404 if unknown, and a token of another form is invalid", async () => {
    expect((await look("a".repeat(32))).status).toBe(404);
    expect((await say("mine", "a".repeat(32))).status).toBe(404);
    expect((await look("short")).status).toBe(400);
    expect((await say("perhaps", "a".repeat(32))).status).toBe(400);
  });

  it("cannot be answered by another site", async () => {
    const { person, token } = await asked();
    const headers = { "sec-fetch-site": "cross-site" };
    const answer = await new Visitor(server).call("answerConfirmation", { body: { token, choice: "mine" }, headers });
    expect(answer.status).toBe(403);
    expect(await shown(person)).toHaveLength(1);
  });
});

describe("a mailbox that is the account's e-mail too", () => {
  /** A person whose e-mail was not confirmed forwards to an address and is asked about it. */
  async function ownAsked(spelling = (email: string) => email) {
    const email = `${systemRandom.uuid()}@people.example`;
    const person = Object.assign(await new Visitor(server).register(email), { email });
    const address = spelling(email);
    await person.createAlias({ forwardTo: address });
    const deps = { ...server.store, clock: server.clock, random: systemRandom, limitRules: null };
    await askForConfirmation(deps, settings, { userId: person.userId, address, isByOwner: false });
    return { person, email, address, token: await lastToken() };
  }
  const sayAs = (who: Visitor, token: string, choice = "mine", headers = {}) =>
    who.call("answerConfirmation", { body: { token, choice }, headers });
  const isConfirmed = async (person: Visitor) => (await person.call("getSignIn")).body.emailConfirmedAt !== null;

  it("is confirmed as both in a session of the account, in whatever letter case", async () => {
    for (const spelling of [(email: string) => email, (email: string) => email.toUpperCase()]) {
      const { person, address, token } = await ownAsked(spelling);
      expect((await look(token)).body).toEqual({ state: "asked", mailbox: address });
      expect((await sayAs(person, token)).body).toEqual({ state: "confirmed", mailbox: address, signIn: "confirmed" });
      expect(await isConfirmed(person)).toBe(true);
      expect((await look(token)).body).toEqual({ state: "confirmed", mailbox: address, signIn: "confirmed" });
    }
  });

  it("is confirmed as a mailbox alone without a session, in another account's, or by an API key; the rest stays open", async () => {
    const { person, email, address, token } = await ownAsked();
    const stranger = await new Visitor(server).register();
    const own = [...person.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    for (const [who, headers] of [
      [new Visitor(server), {}],
      [stranger, {}],
      [new Visitor(server), { authorization: "Bearer not-a-key", cookie: own }],
    ] as const) {
      expect((await sayAs(who, token, "mine", headers)).body).toEqual({
        state: "confirmed",
        mailbox: address,
        signIn: "open",
      });
      expect(await isConfirmed(person)).toBe(false);
    }
    expect((await look(token)).body).toEqual({ state: "confirmed", mailbox: address, signIn: "open" });
    await person.call("logout");
    expect((await sayAs(person, token)).body).toEqual({ state: "confirmed", mailbox: address, signIn: "open" });
    // The same answer again, in a session of the account
    await signIn(Object.assign(person, { email }));
    expect((await sayAs(person, token)).body).toEqual({ state: "confirmed", mailbox: address, signIn: "confirmed" });
    expect(await isConfirmed(person)).toBe(true);
  });

  it("stays open after any other answer", async () => {
    for (const choice of ["not_mine", "block"]) {
      const { person, token } = await ownAsked();
      expect((await sayAs(person, token, choice)).body).toEqual({ state: expect.stringMatching(/refused|blocked/) });
      expect(await isConfirmed(person)).toBe(false);
    }
  });

  it.each([
    ["a tag, which some hosts give to somebody else", (email: string) => email.replace("@", "+shop@")],
    ["another name", () => `${systemRandom.uuid()}@people.example`],
  ])("an address with %s says nothing about the account's e-mail", async (_, spelling) => {
    const { person, address, token } = await ownAsked(spelling);
    expect((await sayAs(person, token)).body).toEqual({ state: "confirmed", mailbox: address });
    expect(await isConfirmed(person)).toBe(false);
  });

  it("the reverse: confirming the e-mail confirms the mailbox", async () => {
    const { person } = await ownAsked();
    await person.call("askEmailConfirmation");
    const link = await lastMailedToken("account", /\/confirm-email#([a-z2-7]{32})/);
    expect((await new Visitor(server).call("confirmEmail", { body: { token: link } })).status).toBe(401);
    expect(await shown(person)).toHaveLength(1);
    expect((await person.call("confirmEmail", { body: { token: link } })).status).toBe(200);
    expect(await shown(person)).toBeUndefined();
  });
});

describe("the owner's request for confirmation", () => {
  const again = (person: Visitor, address: string) => person.call("askConfirmation", { body: { address } });

  it("sends one message a day, three in all", async () => {
    const { person, address, token } = await asked();
    expect(await again(person, address)).toMatchObject({ status: 429, body: { rateLimited: true } });
    const tokens = [token];
    for (const _ of [2, 3]) {
      server.clock.advance(86_400);
      await signIn(person);
      expect((await again(person, address)).body).toEqual({ state: "asked" });
      tokens.push(await lastToken());
    }
    expect(new Set(tokens).size).toBe(3);
    server.clock.advance(86_400);
    await signIn(person);
    expect((await again(person, address)).status).toBe(400);
    expect((await say("mine", token)).body).toEqual({ state: "confirmed", mailbox: address });
  });

  it("is possible only for mailboxes of the owner's aliases", async () => {
    const { address } = await asked();
    expect((await again(await new Visitor(server).register(), address)).status).toBe(404);
    expect((await new Visitor(server).call("askConfirmation", { body: { address } })).status).toBe(401);
  });
});
