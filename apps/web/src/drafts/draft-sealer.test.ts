import { expect, test } from "vitest";
import { makeSealer } from "./draft-sealer.ts";

const newKey = () => {
  const base64 = btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))));
  return base64.replaceAll("+", "-").replaceAll("/", "_").replace("=", "");
};
const key = newKey();
const text = (bytes: Uint8Array | null) => (bytes === null ? null : new TextDecoder().decode(bytes));
const content = new TextEncoder().encode("Dear Ann");

test("what the account's key has sealed it opens again, under the same name only", async () => {
  const sealer = await makeSealer("ann", key);
  const sealed = await sealer.seal("name", content);
  expect(text(sealed)).not.toContain("Dear");
  expect(text(await (await makeSealer("ann", key)).open("name", sealed))).toBe("Dear Ann");
  expect(await sealer.seal("name", content)).not.toEqual(sealed);
  expect(await sealer.open("other", sealed)).toBeNull();
});

test("another account, another key, a changed octet and another version open nothing", async () => {
  const sealer = await makeSealer("ann", key);
  const sealed = await sealer.seal("name", content);
  expect(await (await makeSealer("bob", key)).open("name", sealed)).toBeNull();
  expect(await (await makeSealer("ann", newKey())).open("name", sealed)).toBeNull();
  for (const at of [0, 1, 13, sealed.length - 1]) {
    const changed = sealed.map((octet, index) => (index === at ? octet ^ 1 : octet));
    expect(await sealer.open("name", changed)).toBeNull();
  }
  expect(await sealer.open("name", new Uint8Array())).toBeNull();
});

test("names are the same for the same draft, and neither they nor the box tell kind, id or account", async () => {
  const [one, again, bob] = await Promise.all([makeSealer("ann", key), makeSealer("ann", key), makeSealer("bob", key)]);
  expect([await again.nameOf("letter", "1"), again.box]).toEqual([await one.nameOf("letter", "1"), one.box]);
  const names = await Promise.all([one.nameOf("letter", "1"), one.nameOf("sent", "1"), one.nameOf("letter", "11")]);
  expect(new Set([...names, one.box, bob.box, await bob.nameOf("letter", "1")]).size).toBe(6);
  for (const name of names) expect(name).toMatch(/^[\w+/]{43}=$/);
});
