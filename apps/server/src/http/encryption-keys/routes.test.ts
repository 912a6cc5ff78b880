import { randomUUID } from "node:crypto";
import { armor, encryptText, generateKeyPair } from "@kauke/age";
import { encryptionMessages, limits } from "@kauke/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { testAgeKey } from "../test/test-key.ts";
import { startTestServer, type TestServer, Visitor } from "../test/test-server.ts";

let server: TestServer;
let ann: Visitor;
let bob: Visitor;
beforeAll(async () => {
  server = await startTestServer({ config: { limits: "off" } });
  [ann, bob] = await Promise.all([new Visitor(server).register(), new Visitor(server).register()]);
});
afterAll(() => server.close());

const { publicKey, privateKey, encryptedPrivateKey, masterPassword } = testAgeKey;
const wrapped = { keyName: "Phone", publicKey, encryptedPrivateKey };

async function keep(person: Visitor, change: Record<string, unknown> = {}) {
  const reply = await person.call("createEncryptionKey", { body: { ...wrapped, ...change } });
  expect(reply.status, JSON.stringify(reply.body)).toBe(201);
  return reply.body.key;
}

const listOf = async (person: Visitor) => (await person.call("listEncryptionKeys")).body.keys;

describe("storing a key that was created elsewhere", () => {
  it("returns it without the private key, which is read separately and never cached", async () => {
    const eva = await new Visitor(server).register();
    expect(await listOf(eva)).toEqual([]);
    const key = await keep(eva, { keyName: "  Phone ė  " });
    const createdAt = server.clock.now().toISOString();
    expect(key).toEqual({ id: key.id, keyName: "Phone ė", publicKey, createdAt, isDefault: true });
    expect(await listOf(eva)).toEqual([key]);
    const { body, headers } = await eva.call("readProtectedKey", { params: { keyId: key.id } });
    expect(body).toEqual({ encryptedPrivateKey });
    expect(headers["cache-control"]).toBe("no-store");
    expect((await eva.call("getAccountStats")).body.stats.encryptionKeys).toBe(1);
  });

  it("accepts a post-quantum public key too", async () => {
    const pair = await generateKeyPair("post-quantum");
    expect((await keep(ann, { publicKey: ` ${pair.publicKey}\n` })).publicKey).toBe(pair.publicKey);
  });

  it("stores the same file for any line ending", async () => {
    const typed = `\r\n ${encryptedPrivateKey.replaceAll("\n", "\r\n")}`;
    const { id } = await keep(ann, { encryptedPrivateKey: typed });
    const { body } = await ann.call("readProtectedKey", { params: { keyId: id } });
    expect(body).toEqual({ encryptedPrivateKey });
  });

  it.each([
    ["no key", "age1"],
    ["a private key", privateKey],
    ["a wrong checksum", `${publicKey.slice(0, -1)}x`],
    ["a key nothing can be encrypted to", "age1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq5cu47z"],
    ["far too long", "a".repeat(5000)],
    ["a number", 5],
  ])("refuses a public key that is %s", async (_, odd) => {
    const { status, body } = await ann.call("createEncryptionKey", { body: { ...wrapped, publicKey: odd } });
    const message = encryptionMessages.publicKeyInvalid;
    expect([status, body]).toEqual([400, { code: "invalid", message, errors: { publicKey: [message] } }]);
    expect(JSON.stringify(body)).not.toContain("SECRET-KEY");
  });

  it("refuses a private key that is not protected by a password alone", async () => {
    const [header = ""] = Buffer.from(encryptedPrivateKey.split("\n").slice(1, -2).join(""), "base64")
      .toString("latin1")
      .split("\n---");
    const rebuilt = (text: string) => armor(Buffer.from(text, "latin1"));
    const rest = Buffer.from(encryptedPrivateKey.split("\n").slice(1, -2).join(""), "base64")
      .toString("latin1")
      .slice(header.length);
    const odd = {
      bare: privateKey,
      empty: "",
      none: "-----BEGIN AGE ENCRYPTED FILE-----\n-----END AGE ENCRYPTED FILE-----\n",
      "for a key": await encryptText(privateKey, { publicKeys: [publicKey] }),
      "another work factor": rebuilt(header.replace(/ 18\n/, " 16\n") + rest),
      "a greedy work factor": rebuilt(header.replace(/ 18\n/, " 19\n") + rest),
      "several stanzas": rebuilt(`${header}\n-> X25519 abc\nabc${rest}`),
      "text around": `Hello\n${encryptedPrivateKey}`,
      "too long": `${" ".repeat(6200)}${encryptedPrivateKey}`,
      PGP: encryptedPrivateKey.replaceAll("AGE ENCRYPTED FILE", "PGP MESSAGE"),
    };
    for (const [what, text] of Object.entries(odd)) {
      const { status, body } = await ann.call("createEncryptionKey", {
        body: { ...wrapped, encryptedPrivateKey: text },
      });
      const message = encryptionMessages.wrappedKeyInvalid;
      expect([what, status, body]).toEqual([
        what,
        400,
        { code: "invalid", message, errors: { encryptedPrivateKey: [message] } },
      ]);
    }
    // Control: the file of the same private key, rebuilt unchanged, is accepted.
    await keep(ann, { encryptedPrivateKey: rebuilt(header + rest) });
  });

  it.each([
    [{ masterPassword: "x" }, "masterPassword", encryptionMessages.oneForm],
    [{ masterPassword: "x", encryptedPrivateKey: undefined }, "masterPassword", encryptionMessages.oneForm],
    [{ publicKey: undefined }, "publicKey", encryptionMessages.publicKeyInvalid],
    [{ encryptedPrivateKey: undefined }, "encryptedPrivateKey", encryptionMessages.wrappedKeyInvalid],
    [
      { publicKey: undefined, encryptedPrivateKey: undefined },
      "masterPassword",
      encryptionMessages.masterPasswordRequired,
    ],
    [{ keyName: " " }, "keyName", encryptionMessages.keyNameRequired],
    [{ keyName: "ė".repeat(101) }, "keyName", encryptionMessages.keyNameLong],
  ])("refuses %j with an error for its field", async (change, field, message) => {
    const { status, body } = await ann.call("createEncryptionKey", { body: { ...wrapped, ...change } });
    expect([status, body]).toEqual([400, { code: "invalid", message, errors: { [field]: [message] } }]);
  });

  it("refuses more keys than an account may have", async () => {
    const fay = await new Visitor(server).register();
    const createdAt = server.clock.now();
    for (let count = 0; count < limits.encryptionKeysMax; count += 1) {
      const key = { id: randomUUID(), userId: fay.userId, createdAt, isDefault: false, ...wrapped };
      await server.store.encryptionKeys.insert(key, limits.encryptionKeysMax);
    }
    const { status, body } = await fay.call("createEncryptionKey", { body: wrapped });
    expect([status, body]).toEqual([400, { code: "invalid", message: encryptionMessages.tooManyKeys }]);
    expect(await listOf(fay)).toHaveLength(limits.encryptionKeysMax);
  });
});

describe("creating a key under a master password", () => {
  it("stores the private key only encrypted, and only that password decrypts it, in either Unicode form", async () => {
    const { body } = await bob.call("createEncryptionKey", { body: { keyName: "Mine", masterPassword } });
    const params = { keyId: body.key.id };
    expect(body.key).toMatchObject({
      keyName: "Mine",
      isDefault: true,
      publicKey: expect.stringMatching(/^age1[a-z0-9]{58}$/),
    });
    const { body: kept } = await bob.call("readProtectedKey", { params });
    expect(kept.encryptedPrivateKey).toMatch(/^-----BEGIN AGE ENCRYPTED FILE-----\n/);
    const typed = { masterPassword: masterPassword.normalize("NFD") };
    const { body: file } = await bob.call("downloadEncryptionKey", { params, body: typed });
    const { id: _, ...shown } = body.key;
    expect(file).toEqual({ ...shown, privateKey: expect.stringMatching(/^AGE-SECRET-KEY-1[A-Z0-9]{58}$/) });
    const wrong = await bob.call("downloadEncryptionKey", { params, body: { masterPassword: "juodas" } });
    expect([wrong.status, wrong.body]).toEqual([
      400,
      { code: "master_password_wrong", message: "Incorrect master password." },
    ]);
  });
});

describe("downloading a key", () => {
  it.each([[{}], [{ masterPassword: "" }], [{ masterPassword: "  " }], [{ masterPassword: 7 }]])(
    "requires the password: %j",
    async (body) => {
      const { id: keyId } = await keep(ann);
      const reply = await ann.call("downloadEncryptionKey", { params: { keyId }, body });
      expect([reply.status, reply.body.errors]).toEqual([400, { masterPassword: ["Password required"] }]);
    },
  );

  it("reports a key that has no password, or was made by an older method", async () => {
    const stored = async (text: string) => {
      const key = { id: randomUUID(), userId: ann.userId, createdAt: server.clock.now(), isDefault: false, ...wrapped };
      await server.store.encryptionKeys.insert({ ...key, encryptedPrivateKey: text }, 1000);
      const reply = await ann.call("downloadEncryptionKey", { params: { keyId: key.id }, body: { masterPassword } });
      return [reply.status, reply.body.code, reply.body.message];
    };
    const [status, code, message] = await stored(privateKey);
    expect([status, code]).toEqual([422, "key_not_protected"]);
    expect(message).toContain("master password protection");
    expect(await stored("U2FsdGVkX1+0")).toEqual([422, "key_not_protected", encryptionMessages.needsRecreation]);
  });

  it("says when to try again after too many passwords in a minute, whichever call they were for", async () => {
    const limited = await startTestServer({
      store: server.store,
      config: { limits: new Map([["master_password", { max: 2, windowSeconds: 60 }]]) },
    });
    const cleo = await new Visitor(limited).register();
    const { id: keyId } = await keep(cleo);
    const body = { keyId, masterPassword: "x", encryptedText: "x" };
    expect((await cleo.call("decryptAuto", { body })).status).toBe(400);
    expect((await cleo.call("decryptAuto", { body })).status).toBe(400);
    const replies = [
      await cleo.call("decryptAuto", { body }),
      await cleo.call("downloadEncryptionKey", { params: { keyId }, body: { masterPassword: "x" } }),
      await cleo.call("createEncryptionKey", { body: { keyName: "x", masterPassword: "x" } }),
    ];
    for (const reply of replies) {
      expect([reply.status, reply.body.code, reply.body.rateLimited]).toEqual([429, "rate_limited", true]);
      expect(Number(reply.headers["retry-after"])).toBeGreaterThan(0);
    }
    await limited.close();
  });
});

describe("the default key", () => {
  it("is the first key, then the one chosen, then the newest that is left", async () => {
    const gil = await new Visitor(server).register();
    const defaults = async () =>
      (await listOf(gil)).filter((key: { isDefault: boolean }) => key.isDefault).map((key: { id: string }) => key.id);
    const first = await keep(gil);
    server.clock.advance(1);
    const second = await keep(gil);
    server.clock.advance(1);
    const third = await keep(gil, { isDefault: true });
    expect([first.isDefault, second.isDefault, third.isDefault]).toEqual([true, false, true]);
    expect(await defaults()).toEqual([third.id]);
    const { body } = await gil.call("makeKeyDefault", { params: { keyId: first.id } });
    expect(body.key).toEqual({ ...first, isDefault: true });
    expect(await defaults()).toEqual([first.id]);
    const gone = await gil.call("deleteEncryptionKey", { params: { keyId: first.id } });
    expect([gone.status, gone.body]).toEqual([200, { message: "Encryption key deleted" }]);
    expect(await defaults()).toEqual([third.id]);
  });
});

describe("a key", () => {
  it("is for its owner only: others get a 404", async () => {
    const { id } = await keep(ann);
    for (const keyId of [id, randomUUID(), "no id"]) {
      const params = { keyId };
      const replies = [
        await bob.call("readProtectedKey", { params }),
        await bob.call("downloadEncryptionKey", { params, body: { masterPassword } }),
        await bob.call("makeKeyDefault", { params }),
        await bob.call("deleteEncryptionKey", { params }),
      ];
      for (const { status, body } of replies)
        expect([status, body]).toEqual([404, { code: "not_found", message: "Encryption key not found" }]);
    }
    expect((await ann.call("readProtectedKey", { params: { keyId: id } })).status).toBe(200);
  });

  it("is not accessible without signing in", async () => {
    const stranger = new Visitor(server);
    for (const name of [
      "listEncryptionKeys",
      "createEncryptionKey",
      "readProtectedKey",
      "downloadEncryptionKey",
    ] as const)
      expect((await stranger.call(name, { params: { keyId: randomUUID() } })).status).toBe(401);
  });

  it("never appears in a log", () => {
    expect(server.logged).toEqual([]);
  });
});
