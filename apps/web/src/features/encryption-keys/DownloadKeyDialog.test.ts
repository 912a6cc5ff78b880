import { describe, expect, it } from "vitest";
import { keyFileJson, keyFileName } from "./DownloadKeyDialog.tsx";

describe("the name of a key's file", () => {
  it.each([
    ["Personal", "Personal.age"],
    ["Work / 2026", "Work - 2026.age"],
    ["../../etc/passwd", "etc-passwd.age"],
    ["C:\\keys\\mine", "C-keys-mine.age"],
    ["Žalia. ", "Žalia.age"],
    [".hidden", "hidden.age"],
    ["...", "encryption-key.age"],
    ["a\u202Egpj", "a-gpj.age"],
    ["con", "key-con.age"],
    ["NUL.old", "key-NUL.old.age"],
    ["a\nb\u0000c", "a-b-c.age"],
  ])("%j becomes %s", (keyName, fileName) => expect(keyFileName(keyName, "age")).toBe(fileName));

  it("is cut between characters, never within one", () => {
    expect(keyFileName("😀".repeat(100), "json")).toBe(`${"😀".repeat(80)}.json`);
  });
});

it("the JSON file has the specification's five fields in order and no others", () => {
  const key = {
    id: "not this",
    keyName: "Work",
    publicKey: "age1…",
    privateKey: "AGE-SECRET-KEY-1…",
    createdAt: "2026-01-01T00:00:00.000Z",
    isDefault: false,
  };
  const { id: _, ...five } = key;
  expect(JSON.parse(keyFileJson(key))).toEqual(five);
  expect(Object.keys(JSON.parse(keyFileJson(key)))).toEqual([
    "keyName",
    "publicKey",
    "privateKey",
    "createdAt",
    "isDefault",
  ]);
});
