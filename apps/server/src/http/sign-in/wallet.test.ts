import { createHash } from "node:crypto";
import { signInMessage, WALLET_CHALLENGE_SECONDS, type WalletChallenge, walletMessages } from "@kauke/contract";
import { makeWalletKey, proveWallet, type SignedChallenge, signText, type WalletKey } from "@kauke/testkit/wallet-key";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readSignature, toBase58 } from "../../core/wallet/wallet-signature.ts";
import { startTestServer, type TestServer, Visitor } from "../test/test-server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const visitor = () => new Visitor(server);

async function ask(person: Visitor, walletAddress: string): Promise<WalletChallenge> {
  const { status, body } = await person.call("walletSignIn", { body: { walletAddress } });
  expect(status).toBe(401);
  return body.challenge;
}

async function signIn(key: WalletKey, person = visitor()) {
  const proof = proveWallet(key, await ask(person, key.address));
  return person.call("walletSignIn", { body: proof });
}

describe("a wallet address alone", () => {
  it("is refused, with the text that the wallet has to sign", async () => {
    const { address } = makeWalletKey();
    const { status, body } = await visitor().call("walletSignIn", { body: { walletAddress: address } });
    expect(status).toBe(401);
    expect(body).toEqual({
      message: "Wallet authentication failed",
      code: "wallet_unproven",
      challenge: {
        domain: "localhost:3000",
        uri: "http://localhost:3000",
        version: "1",
        chainId: "mainnet",
        statement: "Sign in to Kauke. Nothing is paid and no transaction is made.",
        nonce: expect.stringMatching(/^[0-9a-f]{32}$/),
        issuedAt: server.clock.now().toISOString(),
        expirationTime: new Date(server.clock.now().getTime() + 300_000).toISOString(),
      },
    });
  });

  it("opens no session: the cookie set with the challenge belongs to none", async () => {
    const person = visitor();
    await ask(person, makeWalletKey().address);
    expect([...person.cookies.keys()]).toEqual(["sid"]);
    expect((await person.call("getSession")).status).toBe(401);
  });

  it("gets another nonce each time, and the browser keeps its cookie", async () => {
    const person = visitor();
    const { address } = makeWalletKey();
    const first = await ask(person, address);
    const cookie = person.cookies.get("sid");
    expect((await ask(person, address)).nonce).not.toBe(first.nonce);
    expect(person.cookies.get("sid")).toBe(cookie);
  });

  it("is required", async () => {
    for (const body of [{}, { walletAddress: "" }, { walletAddress: 7 }, { nonce: "00" }]) {
      const reply = await visitor().call("walletSignIn", { body });
      expect([reply.status, reply.body.errors]).toEqual([400, { walletAddress: ["Wallet address is required"] }]);
    }
  });

  it("gets no challenge if it is invalid, or a key of small order", async () => {
    for (const walletAddress of ["x", "0".repeat(40), "1".repeat(32), "1".repeat(100), `${makeWalletKey().address} `]) {
      const { status, body } = await visitor().call("walletSignIn", { body: { walletAddress } });
      expect([status, body]).toEqual([401, { message: walletMessages.failed, code: "wallet_unproven" }]);
    }
  });

  it("gets a challenge with the host name in the address bar, if that is a name of ours", async () => {
    const { address } = makeWalletKey();
    const domainFor = async (host: string) => {
      const { body } = await visitor().send({
        method: "POST",
        url: "/api/auth/wallet",
        headers: { host, "content-type": "application/json" },
        payload: JSON.stringify({ walletAddress: address }),
      });
      return body.challenge.domain;
    };
    expect(await domainFor("127.0.0.1:3000")).toBe("127.0.0.1:3000");
    expect(await domainFor("evil.example")).toBe("localhost:3000");
  });
});

describe("a signed challenge", () => {
  it("signs in and returns the user", async () => {
    const key = makeWalletKey();
    const person = visitor();
    const { status, body } = await signIn(key, person);
    expect(status).toBe(200);
    expect(body.user).toMatchObject({ walletAddress: key.address, authMethod: "wallet", email: null, balance: "0.00" });
    expect((await person.call("getSession")).body).toEqual(body);
  });

  it("is also accepted with its signature in base64", async () => {
    const key = makeWalletKey();
    const person = visitor();
    const proof = proveWallet(key, await ask(person, key.address));
    const signature = signText(key, proof.signedMessage).toString("base64");
    expect((await person.call("walletSignIn", { body: { ...proof, signature } })).status).toBe(200);
  });

  it("opens a session with a new token, stored by its hash only", async () => {
    const key = makeWalletKey();
    const person = visitor();
    const challenge = await ask(person, key.address);
    const anonymous = person.cookies.get("sid");
    await person.call("walletSignIn", { body: proveWallet(key, challenge) });
    const token = person.cookies.get("sid") ?? "";
    expect(token).not.toBe(anonymous);
    expect(await server.store.loginSessions.find(createHash("sha256").update(token).digest())).not.toBeNull();
    expect((await visitor().call("getSession", { headers: { cookie: `sid=${anonymous}` } })).status).toBe(401);
  });

  it("ends the session this browser had before", async () => {
    const person = await visitor().register();
    const former = person.cookies.get("sid");
    const { body } = await signIn(makeWalletKey(), person);
    expect(body.user.id).not.toBe(person.userId);
    expect((await visitor().call("getSession", { headers: { cookie: `sid=${former}` } })).status).toBe(401);
  });

  it("signs in to the same account every time, on every device", async () => {
    const key = makeWalletKey();
    const ids = [await signIn(key), await signIn(key)].map(({ body }) => body.user.id);
    expect(ids[0]).toBe(ids[1]);
    expect((await signIn(makeWalletKey())).body.user.id).not.toBe(ids[0]);
  });

  it("creates one account when two first sign-ins are concurrent", async () => {
    const key = makeWalletKey();
    const people = [visitor(), visitor(), visitor()];
    const challenges = await Promise.all(people.map((person) => ask(person, key.address)));
    const replies = await Promise.all(
      people.map((person, at) => person.call("walletSignIn", { body: proveWallet(key, challenges[at]!) })),
    );
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(new Set(replies.map(({ body }) => body.user.id)).size).toBe(1);
  });

  it("creates a new account after the old one was deleted", async () => {
    const key = makeWalletKey();
    const person = visitor();
    const before = (await signIn(key, person)).body.user.id;
    expect((await person.call("deleteAccount")).status).toBe(200);
    expect((await signIn(key, person)).body.user.id).not.toBe(before);
  });

  it("signs in to an account that can do everything others can", async () => {
    const person = visitor();
    person.userId = (await signIn(makeWalletKey(), person)).body.user.id;
    const alias = await person.createAlias();
    expect((await person.call("listAliases")).body.aliases).toHaveLength(1);
    expect((await person.call("createSmtpCredential", { body: { aliasId: alias.id } })).status).toBe(201);
    expect((await person.call("getAccountSettings")).status).toBe(200);
    const message = { to: "bob@example.org", subject: "s", body: "b", fromAliasId: alias.id };
    expect((await person.call("createEmailJob", { body: message })).status).toBe(201);
    expect((await person.call("deleteAccount")).status).toBe(200);
  });

  it("is valid until the end of its five minutes", async () => {
    const key = makeWalletKey();
    const person = visitor();
    const challenge = await ask(person, key.address);
    server.clock.advance(WALLET_CHALLENGE_SECONDS - 1);
    expect((await person.call("walletSignIn", { body: proveWallet(key, challenge) })).status).toBe(200);
  });
});

interface Scene {
  key: WalletKey;
  person: Visitor;
  challenge: WalletChallenge;
}

interface Forgery {
  forge(proof: SignedChallenge, scene: Scene): unknown;
  /** Visitor that sends the forged wallet proof; by default the visitor who requested the challenge. */
  sender?(scene: Scene): Promise<Visitor> | Visitor;
}

/** Changes the text of the challenge and signs it with the right key, so that only the text is wrong. */
const resigned =
  (change: Partial<WalletChallenge>) =>
  (proof: SignedChallenge, { key, challenge }: Scene) => {
    const signedMessage = signInMessage({ ...challenge, ...change }, key.address);
    return { ...proof, signedMessage, signature: toBase58(signText(key, signedMessage)) };
  };

const L = 2n ** 252n + 27742317777372353535851937790883648493n;

function addOrder(signature: string): string {
  const bytes = readSignature(signature)!;
  const s = BigInt(`0x${Buffer.from(bytes.subarray(32)).reverse().toString("hex")}`) + L;
  const second = Buffer.from(s.toString(16).padStart(64, "0"), "hex").reverse();
  return toBase58(Buffer.concat([bytes.subarray(0, 32), second]));
}

const swapCase = (text: string) =>
  text.replace(/[a-z]/i, (letter) => (letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase()));

/** The neutral element of Ed25519's curve (y = 1) as a public key. */
const neutralKey = toBase58(Buffer.concat([Buffer.from([1]), Buffer.alloc(31)]));

const forgeries: Record<string, Forgery> = {
  "address only": { forge: ({ walletAddress }) => ({ walletAddress }) },
  "another key": {
    forge: (proof) => ({ ...proof, signature: toBase58(signText(makeWalletKey(), proof.signedMessage)) }),
  },
  "another nonce": {
    forge: (proof, scene) => ({
      ...(resigned({ nonce: "0".repeat(32) })(proof, scene) as SignedChallenge),
      nonce: "0".repeat(32),
    }),
  },
  replay: {
    forge: (proof) => proof,
    async sender({ person, key, challenge }) {
      const { status } = await person.call("walletSignIn", { body: proveWallet(key, challenge) });
      expect(status).toBe(200);
      return person;
    },
  },
  expired: {
    forge: (proof) => proof,
    sender({ person }) {
      server.clock.advance(WALLET_CHALLENGE_SECONDS);
      return person;
    },
  },
  "another domain": { forge: resigned({ domain: "evil.example" }) },
  "another uri": { forge: resigned({ uri: "http://evil.example" }) },
  "an added line": {
    forge(proof, { key }) {
      const signedMessage = `${proof.signedMessage}\nResources:\n- http://evil.example`;
      return { ...proof, signedMessage, signature: toBase58(signText(key, signedMessage)) };
    },
  },
  "the address in another case": {
    forge: (proof, { key, challenge }) => {
      const walletAddress = swapCase(key.address);
      const signedMessage = signInMessage(challenge, walletAddress);
      return { ...proof, walletAddress, signedMessage, signature: toBase58(signText(key, signedMessage)) };
    },
  },
  "a key of small order with the all-zero signature": {
    forge: (proof, { challenge }) => ({
      ...proof,
      walletAddress: neutralKey,
      signedMessage: signInMessage(challenge, neutralKey),
      signature: toBase58(Buffer.alloc(64)),
    }),
  },
  "S + L": { forge: (proof) => ({ ...proof, signature: addOrder(proof.signature) }) },
  "the nonce of another browser": {
    forge: (proof) => proof,
    async sender({ key }) {
      const other = visitor();
      await ask(other, key.address);
      return other;
    },
  },
  // Further forgeries of a wallet proof, beyond the twelve required ones above.
  "no cookie at all": { forge: (proof) => proof, sender: () => visitor() },
  "the challenge of another address": { forge: (_, { challenge }) => proveWallet(makeWalletKey(), challenge) },
  "half a proof": { forge: (proof) => ({ ...proof, signature: undefined }) },
  "a signature that can't be read": { forge: (proof) => ({ ...proof, signature: "not a signature" }) },
  "another statement": { forge: resigned({ statement: "Transfer everything." }) },
  "a later expiry": { forge: resigned({ expirationTime: "2099-01-01T00:00:00.000Z" }) },
  "a text with a line end at its end": {
    forge(proof, { key }) {
      const signedMessage = `${proof.signedMessage}\n`;
      return { ...proof, signedMessage, signature: toBase58(signText(key, signedMessage)) };
    },
  },
};

describe("a forgery is refused, while the same proof unchanged is accepted", () => {
  async function aScene(): Promise<Scene & { proof: SignedChallenge }> {
    const key = makeWalletKey();
    const person = visitor();
    const challenge = await ask(person, key.address);
    return { key, person, challenge, proof: proveWallet(key, challenge) };
  }

  it.each(Object.entries(forgeries))("%s", async (_, { forge, sender }) => {
    const forged = await aScene();
    const body = forge(forged.proof, forged);
    const from = (await sender?.(forged)) ?? forged.person;
    const { status, body: answer } = await from.call("walletSignIn", { body });
    expect([status, answer.message]).toEqual([401, "Wallet authentication failed"]);

    const good = await aScene();
    expect((await good.person.call("walletSignIn", { body: good.proof })).status).toBe(200);
  });

  it("and uses up the challenge", async () => {
    const { person, proof } = await aScene();
    const wrong = { ...proof, signature: toBase58(Buffer.alloc(64, 1)) };
    expect((await person.call("walletSignIn", { body: wrong })).status).toBe(401);
    expect((await person.call("walletSignIn", { body: proof })).status).toBe(401);
  });

  it("and does not use up the challenge when sent by another browser", async () => {
    const { person, proof } = await aScene();
    expect((await visitor().call("walletSignIn", { body: proof })).status).toBe(401);
    expect((await person.call("walletSignIn", { body: proof })).status).toBe(200);
  });

  it("and a proof sent twice concurrently signs in once", async () => {
    const { person, proof } = await aScene();
    const headers = { cookie: `sid=${person.cookies.get("sid")}` };
    const send = () => visitor().call("walletSignIn", { body: proof, headers });
    const statuses = (await Promise.all([send(), send(), send()])).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 401, 401]);
  });
});

describe("limits", () => {
  it("allow one network sixty requests in ten minutes", async () => {
    const person = visitor();
    const { address } = makeWalletKey();
    for (let step = 0; step < 60; step++) await ask(person, address);
    const { status, body } = await person.call("walletSignIn", { body: { walletAddress: address } });
    expect([status, body.rateLimited]).toEqual([429, true]);
    server.clock.advance(600);
    await ask(person, address);
  });

  it("count new accounts as registrations, but not existing ones", async () => {
    const address = visitor().address;
    const from = () => Object.assign(visitor(), { address });
    const known = makeWalletKey();
    expect((await signIn(known, from())).status).toBe(200);
    for (let made = 1; made < 10; made++) expect((await signIn(makeWalletKey(), from())).status).toBe(200);
    expect((await signIn(makeWalletKey(), from())).status).toBe(429);
    expect((await signIn(known, from())).status).toBe(200);
  });
});
