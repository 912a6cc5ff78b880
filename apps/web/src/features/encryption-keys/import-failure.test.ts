import { expect, test } from "vitest";
import { VaultError } from "../../vault/vault.ts";
import { duplicateText, importProblem, unreadableText } from "./import-failure.ts";

const stored = [{ keyName: "Work", publicKey: "age1work" }];

test("a key that is already stored is reported by its name", () => {
  expect(duplicateText("age1work", stored)).toBe("You have this key already: Work");
  expect(duplicateText("age1other", stored)).toBeNull();
  const key = { kind: "key", keyName: null } as const;
  expect(importProblem({ ...key, publicKey: "age1work" }, stored)).toBe("You have this key already: Work");
  expect(importProblem({ ...key, publicKey: "age1other" }, stored)).toBeNull();
});

test("several keys, a mismatched key and a public key each have their own message; a protected file has none before it is opened", () => {
  const sentences = (["several", "mismatch", "public"] as const).map((kind) => importProblem({ kind }, stored));
  expect(new Set(sentences).size).toBe(3);
  expect(sentences).not.toContain(null);
  expect(importProblem({ kind: "locked" }, stored)).toBeNull();
});

test("an unreadable key has a message of our own, and other failures return null", () => {
  expect(unreadableText(new VaultError("bad_private_key"))).toMatch(/^This is not an AGE private key\./);
  expect(unreadableText(new VaultError("not_protected_key"))).toMatch(/not a private key protected by a password/);
  expect(unreadableText(new VaultError("wrong_password"))).toBeNull();
  expect(unreadableText(new Error("Invalid checksum in AGE-SECRET-KEY-1ABC"))).toBeNull();
});
