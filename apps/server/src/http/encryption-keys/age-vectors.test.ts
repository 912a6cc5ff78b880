/**
 * Public age test vectors (C2SP CCTV) sent through the API: accepted or refused as specified, the whole plaintext or
 * none, no private key in a response, no server error. Vectors with a password also go through the server's scrypt, and
 * are tried as stored keys, which must refuse them, since their work factor is not ours.
 */
import { createHash } from "node:crypto";
import { inflateSync } from "node:zlib";
import { AgeError, armor, decrypt } from "@kauke/age";
import { nodePasswordCipher } from "@kauke/age/node-password-cipher";
import * as vectorFiles from "cctv-age";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { testAgeKey } from "../test/test-key.ts";
import { startTestServer, type TestServer, Visitor } from "../test/test-server.ts";

interface AgeVector {
  name: string;
  expect: string;
  payloadSha256: string | undefined;
  identities: string[];
  passphrases: string[];
  isArmored: boolean;
  file: Buffer;
}

function readVector(name: string, bytes: Uint8Array): AgeVector {
  const whole = Buffer.from(bytes);
  const end = whole.indexOf("\n\n");
  const fields = whole
    .subarray(0, end)
    .toString("utf8")
    .split("\n")
    .map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)] as const);
  const all = (field: string) => fields.filter(([key]) => key === field).map(([, value]) => value);
  const rest = whole.subarray(end + 2);
  return {
    name,
    expect: all("expect")[0] ?? "",
    payloadSha256: all("payload")[0],
    identities: all("identity"),
    passphrases: all("passphrase"),
    isArmored: all("armored").includes("yes"),
    file: all("compressed").includes("zlib") ? inflateSync(rest) : rest,
  };
}

const vectors = Object.entries(vectorFiles).map(([name, bytes]) => readVector(name, bytes));
const isForPassword = ({ passphrases, identities }: AgeVector) => passphrases.length > 0 && identities.length === 0;
const withPassword = vectors.filter(isForPassword);
const withKeys = vectors.filter((vector) => !isForPassword(vector));
const sha256 = (content: string | Uint8Array) => createHash("sha256").update(content).digest("hex");
const textOf = ({ isArmored, file }: AgeVector) => (isArmored ? file.toString("latin1") : armor(file));

let server: TestServer;
let ann: Visitor;
beforeAll(async () => {
  server = await startTestServer({ config: { limits: "off" } });
  ann = await new Visitor(server).register();
});
afterAll(() => server.close());

describe("the public age vectors", () => {
  it("are complete", () => {
    expect([vectors.length, withKeys.length, withPassword.length]).toEqual([143, 118, 25]);
  });

  it("with keys are decrypted as specified with a private key", async () => {
    const wrong: unknown[] = [];
    const seen = { opened: 0, notText: 0, tooLong: 0, refused: 0 };
    for (const vector of withKeys) {
      const body = { privateKey: vector.identities.join("\n") || testAgeKey.privateKey, encryptedText: textOf(vector) };
      const { status, body: answer } = await ann.call("decryptManual", { body });
      const isAccepted = status === 200;
      const isRight = isAccepted
        ? answer.success === true && sha256(answer.decryptedText) === vector.payloadSha256
        : answer.success === false && answer.decryptedText === undefined && answer.message !== "";
      const isBeyondText = status === 413 || answer.code === "not_text";
      const isExpected = vector.expect === "success" ? isAccepted || isBeyondText : !isAccepted && !isBeyondText;
      const leaks = vector.identities.some((key) => JSON.stringify(answer).includes(key.slice(0, 30)));
      if (!isRight || !isExpected || leaks) wrong.push([vector.name, vector.expect, status, answer.code]);
      if (isAccepted) seen.opened += 1;
      else if (answer.code === "not_text") seen.notText += 1;
      else if (status === 413) seen.tooLong += 1;
      else seen.refused += 1;
    }
    expect(wrong).toEqual([]);
    const good = withKeys.filter((vector) => vector.expect === "success").length;
    expect(seen.opened + seen.notText + seen.tooLong).toBe(good);
    expect(seen.refused).toBe(118 - good);
    expect(seen.opened).toBeGreaterThan(8);
    expect(server.logged).toEqual([]);
  });

  it("with a password are decrypted as specified by the server's scrypt", async () => {
    const wrong: unknown[] = [];
    for (const { name, passphrases, file, isArmored, payloadSha256, ...vector } of withPassword) {
      const [password = ""] = passphrases;
      const input = isArmored ? file.toString("latin1") : file;
      const outcome = await decrypt(input, { password, passwordCipher: nodePasswordCipher }).catch((thrown) => {
        if (thrown instanceof AgeError) return null;
        throw thrown;
      });
      const isRight =
        vector.expect === "success" ? outcome !== null && sha256(outcome) === payloadSha256 : outcome === null;
      if (!isRight) wrong.push([name, vector.expect]);
    }
    expect(wrong).toEqual([]);
  });

  it("with a password are refused as stored keys", async () => {
    const encryptedText = textOf(withKeys[0] as AgeVector);
    for (const vector of withPassword) {
      const key = {
        id: crypto.randomUUID(),
        userId: ann.userId,
        keyName: "k",
        publicKey: "age1",
        isDefault: false,
        createdAt: server.clock.now(),
        encryptedPrivateKey: textOf(vector),
      };
      await server.store.encryptionKeys.insert(key, 1000);
      const body = { keyId: key.id, encryptedText, masterPassword: vector.passphrases[0] || "x" };
      const { status, body: answer } = await ann.call("decryptAuto", { body });
      expect([vector.name, status < 500, answer.success]).toEqual([vector.name, true, false]);
      expect(status === 200 ? answer.needsRecreation : answer.code).toSatisfy(
        (it) => it === true || it === "key_not_protected",
      );
    }
  });
});
