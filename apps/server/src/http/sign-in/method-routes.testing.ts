/** A test server, and people who change their ways to sign in: by e-mail and password, and by wallet. */
import { makeWalletKey, proveWallet, type WalletKey } from "@kauke/testkit/wallet-key";
import { afterAll, expect } from "vitest";
import { systemRandom } from "../../runtime/ports.ts";
import { sentMessagesTo } from "../test/sent-messages.ts";
import { startTestServer, Visitor } from "../test/test-server.ts";

export const password = "correct horse";
export const newAddress = () => `${systemRandom.uuid()}@new.example`;

export interface SignInPerson extends Visitor {
  email: string;
}

export const ask = (who: Visitor, email: string) => who.call("askEmailChange", { body: { email } });
export const use = (who: Visitor, token: string) => who.call("changeEmail", { body: { token } });
export const prove = (who: Visitor, word = password) => who.call("proveByPassword", { body: { password: word } });

export async function challenge(who: Visitor, key: WalletKey, purpose: "link" | "prove") {
  const { status, body } = await who.call("askWalletChallenge", { body: { walletAddress: key.address, purpose } });
  expect(status, JSON.stringify(body)).toBe(200);
  return body.challenge;
}

/** Starts a server for all tests of a file, which closes after the last of them. Called at the file's top level. */
export async function setUpWaysIn() {
  const server = await startTestServer();
  afterAll(() => server.close());

  const messages = (email: string) => sentMessagesTo(server, email);

  async function untilMessages(email: string, count: number): Promise<string[]> {
    await expect.poll(async () => (await messages(email)).length, { timeout: 30_000 }).toBe(count);
    return messages(email);
  }

  async function person() {
    const email = `${systemRandom.uuid()}@people.example`;
    return Object.assign(await new Visitor(server).register(email), { email });
  }

  /** Signs in to the same account from another browser. */
  async function elsewhere({ email }: Pick<SignInPerson, "email">): Promise<Visitor> {
    const visitor = new Visitor(server);
    expect((await visitor.call("login", { body: { email, password } })).status).toBe(200);
    return visitor;
  }

  /** Lets the login session's proof of identity expire, but not the session itself. */
  const getStale = () => server.clock.advance(5 * 60);

  /** @returns the token of the newest link for a change of e-mail that was sent to the address `email` */
  async function tokenTo(email: string, count = 1): Promise<string> {
    const last = (await untilMessages(email, count)).at(-1) ?? "";
    return /http:\/\/localhost:3000\/new-email#([a-z2-7]{32})\r\n/.exec(last)?.[1] ?? "";
  }

  async function confirmed(who: SignInPerson): Promise<SignInPerson> {
    await who.call("askEmailConfirmation");
    const [message = ""] = await untilMessages(who.email, 1);
    const token = /confirm-email#([a-z2-7]{32})/.exec(message)?.[1] ?? "";
    expect((await who.call("confirmEmail", { body: { token } })).status).toBe(200);
    return who;
  }

  async function linkWallet(who: Visitor, key = makeWalletKey()) {
    return { key, ...(await who.call("linkWallet", { body: proveWallet(key, await challenge(who, key, "link")) })) };
  }

  async function signInByWallet(key: WalletKey, who = new Visitor(server)) {
    const offered = await who.call("walletSignIn", { body: { walletAddress: key.address } });
    return { who, ...(await who.call("walletSignIn", { body: proveWallet(key, offered.body.challenge) })) };
  }

  return {
    server,
    messages,
    untilMessages,
    person,
    elsewhere,
    getStale,
    tokenTo,
    confirmed,
    linkWallet,
    signInByWallet,
  };
}
