import {
  AgeError,
  generateKeyPair,
  isProtectedKey,
  keyFileText,
  openProtectedKey,
  protectPrivateKey,
} from "@kauke/age";
import { expect, test } from "vitest";
import { keyFileJson } from "../features/encryption-keys/DownloadKeyDialog.tsx";
import { importPrivateKey, readKeyToImport } from "./key-import.ts";

const password = "a master password";
const keyName = "Work";

const thrownBy = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (thrown: unknown) => (thrown instanceof AgeError ? thrown.code : String(thrown)),
  );

test.each(["classic", "post-quantum"] as const)(
  "a %s key is read from its text, a key file and the file of Settings",
  async (kind) => {
    const pair = await generateKeyPair(kind);
    const { publicKey } = pair;
    const json = keyFileJson({ ...pair, keyName, createdAt: "2026-11-22T09:00:00.000Z", isDefault: true });
    expect(await readKeyToImport(` ${pair.privateKey}\n`)).toEqual({ kind: "key", publicKey, keyName: null });
    expect(await readKeyToImport(keyFileText({ ...pair, keyName }))).toEqual({ kind: "key", publicKey, keyName });
    expect(await readKeyToImport(json)).toEqual({ kind: "key", publicKey, keyName });
  },
);

test("each kind of text that can't be imported is recognized", async () => {
  const [one, two] = [await generateKeyPair(), await generateKeyPair()];
  expect(await readKeyToImport(`${one.privateKey}\n${two.privateKey}`)).toEqual({ kind: "several" });
  expect(await readKeyToImport(keyFileText({ ...one, publicKey: two.publicKey }))).toEqual({ kind: "mismatch" });
  const json = keyFileJson({ ...one, publicKey: two.publicKey, keyName, createdAt: "", isDefault: false });
  expect(await readKeyToImport(json)).toEqual({ kind: "mismatch" });
  expect(await readKeyToImport(`${one.publicKey}\n`)).toEqual({ kind: "public" });
  for (const text of ["", "hello", "{}", '{"privateKey": 7}', one.privateKey.slice(0, -1), `${one.privateKey}A`])
    expect(await thrownBy(readKeyToImport(text)), text).toBe("bad_private_key");
  expect(await thrownBy(readKeyToImport("#".repeat(20_000)))).toBe("too_large");
});

test("an imported key is protected by the master password like a created one", async () => {
  const pair = await generateKeyPair();
  const text = keyFileJson({ ...pair, keyName, createdAt: "", isDefault: false });
  const { publicKey, encryptedPrivateKey } = await importPrivateKey({ keyName, masterPassword: password, text });
  expect(publicKey).toBe(pair.publicKey);
  expect(isProtectedKey(encryptedPrivateKey)).toBe(true);
  expect(encryptedPrivateKey).not.toContain(pair.privateKey);
  expect(await openProtectedKey(encryptedPrivateKey, { password })).toEqual(pair);
});

test("a protected file is kept unchanged, and only its own password opens it", async () => {
  const pair = await generateKeyPair();
  const text = await protectPrivateKey({ ...pair, password });
  expect(await readKeyToImport(text)).toEqual({ kind: "locked" });
  const input = { keyName, masterPassword: password, text };
  expect(await importPrivateKey(input)).toEqual({ publicKey: pair.publicKey, encryptedPrivateKey: text });
  expect(await thrownBy(importPrivateKey({ ...input, masterPassword: "another one" }))).toBe("wrong_password");
});
