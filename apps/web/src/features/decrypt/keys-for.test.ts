import { armor, encrypt, generateKeyPair } from "@kauke/age";
import type { EncryptionKeyWire } from "@kauke/contract";
import { expect, test } from "vitest";
import { stanzaTypes } from "./encrypted-file.ts";
import { keysFor, noKeyText } from "./keys-for.ts";

const keyOf = (keyName: string, publicKey: string): EncryptionKeyWire => ({
  id: keyName,
  keyName,
  publicKey,
  createdAt: "2026-11-27T10:00:00.000Z",
  isDefault: false,
});
const content = new TextEncoder().encode("Labas");
const [classic, quantum] = [await generateKeyPair(), await generateKeyPair("post-quantum")];
const keys = [keyOf("classic", classic.publicKey), keyOf("quantum", quantum.publicKey)];
const namesFor = (text: string) => keysFor(keys, stanzaTypes(text)).map(({ keyName }) => keyName);
const armored = async (publicKey: string) => armor(await encrypt(content, { publicKeys: [publicKey] }));

test("the header tells which keys can be the right ones, in any form of the file", async () => {
  const [forClassic, forQuantum] = [await armored(classic.publicKey), await armored(quantum.publicKey)];
  const binary = await encrypt(content, { publicKeys: [quantum.publicKey] });
  expect(namesFor(forClassic)).toEqual(["classic"]);
  expect(namesFor(forQuantum)).toEqual(["quantum"]);
  expect(namesFor(new TextDecoder("latin1").decode(binary))).toEqual(["quantum"]);
  expect(namesFor(`On Monday Rasa wrote:\r\n${forQuantum.replace(/^/gm, "> ")}`)).toEqual(["quantum"]);
});

test("without a whole header any key can be the right one", async () => {
  const whole = await armored(classic.publicKey);
  for (const text of ["", "Labas", whole.slice(0, 60), whole.slice(0, 100), "-----BEGIN AGE ENCRYPTED FILE-----\nA=?"])
    expect(namesFor(text)).toEqual(["classic", "quantum"]);
});

test("a password's file says that it needs no key, any other that it is for another kind of key", async () => {
  const stanzas = stanzaTypes(armor(await encrypt(content, { password: "six random words" })));
  expect(stanzas).toEqual(["scrypt"]);
  expect(keysFor(keys, stanzas)).toEqual([]);
  expect(noKeyText(["scrypt"])).toContain("a password of its own");
  expect(noKeyText(["ssh-ed25519"])).toContain("another kind of key");
});

test("a hostile header costs no time", () => {
  const started = performance.now();
  for (const unit of ["> ", "A", "\n", "-> X25519\n"])
    stanzaTypes(`-----BEGIN AGE ENCRYPTED FILE-----${unit.repeat(2_000_000)}`);
  expect(performance.now() - started).toBeLessThan(500);
});
