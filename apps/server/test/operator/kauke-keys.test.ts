/** Rotating keys by the operator's command beside a real server: all data stays readable, after a kill too. */
import { copyFile, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Person, registerPerson } from "@kauke/testkit/person";
import { kaukeInTurns } from "@kauke/testkit/programs/kauke-in-turns";
import { sendMail } from "@kauke/testkit/send-mail";
import { makeDataDir, removeDataDirs, type ServerProcess, startServerProcess } from "@kauke/testkit/server-process";
import { afterAll, beforeAll, expect, it } from "vitest";

let dataDir: string;
let server: ServerProcess;
let jonas: Person;
let address: string;
const kauke = (...args: string[]) => kaukeInTurns(args, { dataDir });

beforeAll(async () => {
  dataDir = await makeDataDir();
  server = await startServerProcess({ dataDir });
  jonas = await registerPerson(server.url, "jonas.keys@people.example");
  const { alias, domain } = await jonas.createAlias({ alias: "keys", forwardTo: "jonas@inbox.example" });
  address = `${alias}@${domain}`;
}, 120_000);
afterAll(async () => {
  await server.kill();
  await removeDataDirs();
});

interface Key {
  id: number;
  purpose: string;
  use: string;
}

const sealKeys = async () =>
  (JSON.parse((await kauke("keys", "list", "--json")).out) as Key[]).filter(({ purpose }) => purpose === "seal");

async function expectAllWorks(): Promise<void> {
  const aliases = await fetch(`${server.url}/api/aliases/${jonas.user.id}`, { headers: { cookie: jonas.cookie } });
  expect(await aliases.json()).toMatchObject({ aliases: [{ alias: "keys", forwardTo: "jonas@inbox.example" }] });
  const message = "From: ann@example.org\r\nSubject: x\r\n\r\ntext\r\n";
  expect((await sendMail({ port: server.mxPort, to: address, message })).last).toMatch(/^250 /);
}

async function restart(): Promise<void> {
  await server.kill();
  server = await startServerProcess({ dataDir });
}

it("a rotation seals every row anew while the server runs, and says what can't be rotated", async () => {
  const [before] = await sealKeys();
  const { code, out, err } = await kauke("keys", "rotate");
  expect([code, err]).toEqual([0, ""]);
  expect(out.trimEnd().split("\n").at(-1)).toMatch(/^Done: \d+ rows resealed\.$/);
  expect(await sealKeys()).toMatchObject([{ id: before?.id, use: "opens" }, { use: "seals" }]);
  await expectAllWorks();
  const listed = await kauke("keys", "list");
  expect(listed.out).toMatch(/index .* can't be rotated/);
  expect(server.output()).not.toMatch(/jonas\.keys|@inbox/);
}, 60_000);

it("after a kill every row can be opened, those sealed with the older key too", async () => {
  await restart();
  await expectAllWorks();
}, 60_000);

it("a new secret.key replaces the old one at once, and the server starts with it alone", async () => {
  const path = join(dataDir, "secret.key");
  const before = await readFile(path, "utf8");
  expect((await kauke("keys", "rotate", "--wrapping")).code).toBe(0);
  expect(await readFile(path, "utf8")).not.toBe(before);
  expect((await readdir(dataDir)).filter((name) => name.startsWith("secret"))).toEqual(["secret.key"]);
  await expectAllWorks();
  await restart();
  await expectAllWorks();
  // The old key no longer opens any stored data.
  await server.kill();
  const kept = join(dataDir, "kept");
  await rename(path, kept);
  await writeFile(path, before, { mode: 0o600 });
  expect((await kauke("users")).err).toContain("KAUKE_SECRET_KEY does not fit");
  await rename(kept, path);
}, 60_000);

it("a kill between wrapping the keys anew and replacing the file loses nothing, on either side of the commit", async () => {
  const path = join(dataDir, "secret.key");
  const fitting = await readFile(path, "utf8");
  // A kill before the commit: the next key's file exists, but nothing is wrapped with that key.
  await writeFile(`${path}.next`, `${Buffer.alloc(32, 7).toString("base64")}\n`, { mode: 0o600 });
  expect((await kauke("users")).code).toBe(0);
  expect(await readFile(path, "utf8")).toBe(fitting);
  // A kill after the commit: the next key is in use, but has not replaced the old one in its file yet.
  await copyFile(path, `${path}.next`);
  await writeFile(path, `${Buffer.alloc(32, 7).toString("base64")}\n`, { mode: 0o600 });
  expect((await kauke("users")).code).toBe(0);
  expect(await readFile(path, "utf8")).toBe(fitting);
  expect((await readdir(dataDir)).includes("secret.key.next")).toBe(false);
}, 60_000);

it("a key given by the setting is not replaced, and the message says why", async () => {
  const given = (await readFile(join(dataDir, "secret.key"), "utf8")).trim();
  const { code, err } = await kaukeInTurns(["keys", "rotate", "--wrapping"], {
    dataDir,
    env: { KAUKE_SECRET_KEY: given },
  });
  expect([code, err.includes("KAUKE_SECRET_KEY")]).toEqual([1, true]);
}, 60_000);
