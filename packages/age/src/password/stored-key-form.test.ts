import { expect, test } from "vitest";
import { encryptText } from "../encrypt.ts";
import { armor, dearmor } from "../format/armor.ts";
import { generateKeyPair } from "../private-key.ts";
import { nodePasswordCipher as passwordCipher } from "./node-password-cipher.ts";
import { keyFileText, protectPrivateKey, storedKeyForm } from "./protected-key.ts";

const pair = await generateKeyPair();
const protectedKey = await protectPrivateKey({ ...pair, password: "juodas", passwordCipher });
const otherFactor = Buffer.from(dearmor(protectedKey, 4096)).toString("latin1").replace(/ 18\n/, " 10\n");

test.each([
  ["a key under a password", protectedKey, "protected"],
  ["a bare private key", pair.privateKey, "unprotected"],
  ["a key file", keyFileText(pair), "unprotected"],
  [
    "a key file encrypted to a public key",
    await encryptText(keyFileText(pair), { publicKeys: [pair.publicKey] }),
    "unprotected",
  ],
  ["nothing", "", "older"],
  ["OpenSSL's form", "U2FsdGVkX1+0zz", "older"],
  ["another work factor", armor(Buffer.from(otherFactor, "latin1")), "older"],
  ["a file that is cut off", protectedKey.slice(0, 200), "older"],
])("%s is %s", async (_, text, form) => expect(await storedKeyForm(text)).toBe(form));
