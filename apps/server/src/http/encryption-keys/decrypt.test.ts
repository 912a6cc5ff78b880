import { randomUUID } from "node:crypto";
import { armor, encrypt, encryptText, generateKeyPair, keyFileText } from "@kauke/age";
import { encryptionMessages, limits } from "@kauke/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { testAgeKey } from "../test/test-key.ts";
import { type Reply, startTestServer, type TestServer, Visitor } from "../test/test-server.ts";

let server: TestServer;
let ann: Visitor;
let keyId: string;
let encryptedText: string;
const { publicKey, privateKey, encryptedPrivateKey, masterPassword } = testAgeKey;
const plaintext = "Slaptas laiškas ąčęėįšųūž 🔑\r\n\u0000end";

beforeAll(async () => {
  server = await startTestServer({ config: { limits: "off" } });
  ann = await new Visitor(server).register();
  keyId = await store({});
  encryptedText = await encryptText(plaintext, { publicKeys: [publicKey] });
});
afterAll(() => server.close());

/** Stores a key without the API's validation, as an older version or another program may have left it. */
async function store(change: { encryptedPrivateKey?: string }): Promise<string> {
  const id = randomUUID();
  const key = { id, userId: ann.userId, keyName: "k", publicKey, encryptedPrivateKey, isDefault: false, ...change };
  await server.store.encryptionKeys.insert({ ...key, createdAt: server.clock.now() }, 1000);
  return id;
}

const auto = (change: Record<string, unknown> = {}, person = ann) =>
  person.call("decryptAuto", { body: { encryptedText, keyId, masterPassword, ...change } });
const manual = (change: Record<string, unknown> = {}, person = ann) =>
  person.call("decryptManual", { body: { encryptedText, privateKey, ...change } });

/** Status, code and message of an error response, after a check that it contains no secret. */
function refusal({ status, body }: Reply): unknown[] {
  const text = JSON.stringify(body);
  for (const secret of ["SECRET-KEY", privateKey.slice(20, 40), masterPassword, "Slaptas", "laiškas"])
    expect(text.includes(secret)).toBe(false);
  expect(body.success).toBe(false);
  return [status, body.code, body.message];
}

const damaged = [400, "age_damaged", "The encrypted text is damaged or is not an AGE message."];
const noMatch = [400, "no_matching_key", "This message was not encrypted for this key."];
const notText = [400, "not_text", "Decrypted, but the content is not text."];

describe("decrypting with a stored key", () => {
  it("returns the original text, with the password in either Unicode form", async () => {
    const { status, body, headers } = await auto({ masterPassword: masterPassword.normalize("NFD") });
    expect([status, body]).toEqual([200, { success: true, decryptedText: plaintext }]);
    expect(headers["cache-control"]).toBe("no-store");
  });

  it("reports a wrong password", async () => {
    expect(refusal(await auto({ masterPassword: "juodas" }))).toEqual([
      400,
      "master_password_wrong",
      "Incorrect master password.",
    ]);
  });

  it("reports a text that was encrypted to another key", async () => {
    const other = await generateKeyPair();
    const text = await encryptText(plaintext, { publicKeys: [other.publicKey] });
    expect(refusal(await auto({ encryptedText: text }))).toEqual(noMatch);
  });

  it.each(["", "U2FsdGVkX1+0zz", "\u0000\u0001binary", "-----BEGIN PGP MESSAGE-----\nx\n-----END PGP MESSAGE-----"])(
    "a stored key of another form, %j, has to be created again: 200, as the client expects",
    async (old) => {
      const { status, body } = await auto({ keyId: await store({ encryptedPrivateKey: old }) });
      const message = encryptionMessages.needsRecreation;
      expect([status, body]).toEqual([200, { success: false, needsRecreation: true, message }]);
    },
  );

  it("a stored key with several stanzas or another work factor has to be created again", async () => {
    const bytes = Buffer.from(encryptedPrivateKey.split("\n").slice(1, -2).join(""), "base64").toString("latin1");
    const changed = (from: string | RegExp, to: string) => armor(Buffer.from(bytes.replace(from, to), "latin1"));
    const olds = [changed(/ 18\n/, " 10\n"), changed(/ 18\n/, " 22\n"), changed("\n--- ", "\n-> x y\nabc\n--- ")];
    for (const old of [...olds, encryptedPrivateKey.slice(0, 200)]) {
      const { status, body } = await auto({ keyId: await store({ encryptedPrivateKey: old }) });
      expect([status, body.needsRecreation]).toEqual([200, true]);
    }
  });

  it("reports a stored key that is protected by something other than a password, or by nothing", async () => {
    const file = keyFileText({ publicKey, privateKey, keyName: "x" });
    for (const odd of [privateKey, file, await encryptText(file, { publicKeys: [publicKey] })]) {
      const [status, code, message] = refusal(await auto({ keyId: await store({ encryptedPrivateKey: odd }) }));
      expect([status, code]).toEqual([422, "key_not_protected"]);
      expect(message).toContain("master password protection");
    }
  });

  it("another user's key and an invalid id are not found", async () => {
    const bob = await new Visitor(server).register();
    const missing = [404, "not_found", "Encryption key not found"];
    expect(refusal(await auto({}, bob))).toEqual(missing);
    expect(refusal(await auto({ keyId: randomUUID() }))).toEqual(missing);
  });

  it.each([
    [{ encryptedText: " " }, "encryptedText", "Encrypted text is required"],
    [{ keyId: undefined }, "keyId", "Please select a decryption key"],
    [{ keyId: "x" }, "keyId", "Please select a decryption key"],
    [{ masterPassword: "" }, "masterPassword", "Master password is required"],
  ])("refuses %j with an error for its field", async (change, field, message) => {
    const { status, body } = await auto(change);
    expect([status, body]).toEqual([400, { success: false, code: "invalid", message, errors: { [field]: [message] } }]);
  });
});

describe("decrypting with a private key", () => {
  it("returns the text for a key alone, with white space, or in a whole identity file", async () => {
    const file = keyFileText({ publicKey, privateKey, keyName: "Phone", createdAt: new Date() });
    for (const typed of [privateKey, ` ${privateKey}\r\n\n`, file]) {
      const { status, body } = await manual({ privateKey: typed });
      expect([status, body]).toEqual([200, { success: true, decryptedText: plaintext }]);
    }
  });

  it("decrypts post-quantum messages", async () => {
    const pair = await generateKeyPair("post-quantum");
    const text = await encryptText(plaintext, { publicKeys: [pair.publicKey] });
    const { body } = await manual({ privateKey: pair.privateKey, encryptedText: text });
    expect(body).toEqual({ success: true, decryptedText: plaintext });
    expect(refusal(await manual({ encryptedText: text }))).toEqual(noMatch);
  });

  it("an invalid key is not repeated in the response", async () => {
    const typed = `${privateKey.slice(0, -1)}${privateKey.endsWith("Q") ? "P" : "Q"}`;
    const odd = [typed, privateKey.slice(0, 40), `${privateKey}X`, publicKey, "x", `${privateKey} ${privateKey}`];
    for (const key of [...odd, "AGE-SECRET-KEY-1".repeat(1500), "#\n"])
      expect(refusal(await manual({ privateKey: key }))).toEqual([
        400,
        "private_key_invalid",
        "The private key is not valid.",
      ]);
  });

  it("gives the same error for whatever is damaged", async () => {
    const lines = encryptedText.split("\n");
    const flipped = (at: number) => {
      const bytes = Buffer.from(lines.slice(1, -2).join(""), "base64");
      const place = at < 0 ? bytes.length + at : at;
      bytes.writeUInt8(bytes.readUInt8(place) ^ 1, place);
      return armor(bytes);
    };
    const broken = [
      "x",
      "-----BEGIN AGE ENCRYPTED FILE-----",
      `${encryptedText}x`,
      `Hello\n${encryptedText}`,
      lines.slice(0, -3).join("\n"),
      flipped(0),
      flipped(150),
      flipped(-1),
      flipped(-20),
    ];
    for (const text of broken) expect(refusal(await manual({ encryptedText: text }))).toEqual(damaged);
  });

  it("content that is not text is refused", async () => {
    const bytes = Buffer.concat([Buffer.from("Slaptas "), Buffer.from([0xff, 0xfe])]);
    const text = armor(await encrypt(bytes, { publicKeys: [publicKey] }));
    expect(refusal(await manual({ encryptedText: text }))).toEqual(notText);
  });

  it("decrypts a megabyte, and reports a longer text", async () => {
    const most = await encryptText("a".repeat(1_048_576), { publicKeys: [publicKey] });
    expect((await manual({ encryptedText: most })).body.decryptedText).toHaveLength(1_048_576);
    const more = armor(await encrypt(new Uint8Array(1_048_577).fill(97), { publicKeys: [publicKey] }));
    const tooLong = [413, "too_large", encryptionMessages.textLong];
    expect(refusal(await manual({ encryptedText: more }))).toEqual(tooLong);
    const many = Array.from({ length: 65 }, (_, index) => `-> x ${index}\nabc\n`).join("");
    const header = armor(Buffer.from(`age-encryption.org/v1\n${many}--- ${"A".repeat(43)}\n`));
    expect(refusal(await manual({ encryptedText: header }))).toEqual(tooLong);
    expect(refusal(await manual({ encryptedText: "a".repeat(limits.encryptedTextMax + 1) }))).toEqual([
      400,
      "invalid",
      encryptionMessages.textLong,
    ]);
    expect(refusal(await manual({ encryptedText: "a".repeat(limits.requestBodyMaxBytes) }))[0]).toBe(413);
  });

  it.each([
    [{ encryptedText: undefined }, "encryptedText", "Encrypted text is required"],
    [{ privateKey: " \n" }, "privateKey", "Private key is required"],
  ])("refuses %j with an error for its field", async (change, field, message) => {
    const { status, body } = await manual(change);
    expect([status, body]).toEqual([400, { success: false, code: "invalid", message, errors: { [field]: [message] } }]);
  });

  it("says when to try again after too many requests in a minute", async () => {
    const rules = new Map([["decrypt_manual", { max: 1, windowSeconds: 60 }]]);
    const limited = await startTestServer({ store: server.store, config: { limits: rules } });
    const cleo = await new Visitor(limited).register();
    expect((await manual({}, cleo)).status).toBe(200);
    const reply = await manual({}, cleo);
    expect(refusal(reply).slice(0, 2)).toEqual([429, "rate_limited"]);
    expect(Number(reply.headers["retry-after"])).toBeGreaterThan(0);
    await limited.close();
  });
});

describe("both ways to decrypt", () => {
  it("report any failure in `success`, and log nothing", async () => {
    const stranger = new Visitor(server);
    for (const name of ["decryptAuto", "decryptManual"] as const) {
      expect(refusal(await stranger.call(name, { body: {} }))[0]).toBe(401);
      const plain = await ann.call(name, { body: {}, headers: { "content-type": "text/plain" } });
      expect(refusal(plain)[0]).toBe(415);
    }
    const other = await ann.call("createAlias", { body: {} });
    expect(other.body).not.toHaveProperty("success");
    expect(server.logged).toEqual([]);
  });
});
