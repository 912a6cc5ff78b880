import { expect, test } from "vitest";
import { keyFileJson } from "../features/encryption-keys/DownloadKeyDialog.tsx";
import { readPastedKey } from "./pasted-key.ts";

const privateKey = "AGE-SECRET-KEY-1QQQ";
const downloaded = keyFileJson({ keyName: "Work", publicKey: "age1", privateKey, createdAt: "", isDefault: false });

test("the key is read from the file that Settings downloads, with or without a byte order mark", () => {
  const key = { kind: "key", text: privateKey, keyName: "Work", publicKey: "age1" };
  expect(readPastedKey(downloaded)).toEqual(key);
  expect(readPastedKey(`\ufeff\n${downloaded}`)).toEqual(key);
});

test("a plain key, a key file and unrecognized text are returned unchanged", () => {
  for (const text of [privateKey, "{", "{}", '{"privateKey": 7}', "null", "[1]", ""])
    expect(readPastedKey(text)).toEqual({ kind: "key", text });
  const text = `# name: Work\r\n# public key: age1qq\r\n${privateKey}\r\n`;
  expect(readPastedKey(text)).toEqual({ kind: "key", text, keyName: "Work", publicKey: "age1qq" });
});

test("an age file is a locked key", () => {
  for (const text of ["-----BEGIN AGE ENCRYPTED FILE-----\n", "age-encryption.org/v1\n-> scrypt"])
    expect(readPastedKey(text)).toEqual({ kind: "locked", text });
});
