import { createPublicKey, randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DkimKey } from "@kauke/mail-rfc";
import { putEmptyDatabase } from "@kauke/testkit/empty-database";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openStore } from "../open-store.ts";

let dataDir: string;
const secretKey = randomBytes(32);
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "kauke-dkim-"));
  await putEmptyDatabase(dataDir, { KAUKE_SECRET_KEY: secretKey.toString("base64") });
});
afterAll(() => rm(dataDir, { recursive: true }));

/** Public keys by DKIM selector and domain, after a start of the store with these settings. */
async function keysAtStart(domains: readonly string[], dkimEd25519: boolean): Promise<Map<string, string>> {
  const store = await openStore({ databaseUrl: null, dataDir, secretKey, dkimDomains: domains, dkimEd25519 });
  await store.close();
  return new Map(store.dkimKeys.map((key) => [`${key.selector}.${key.domain} ${key.algorithm}`, publicText(key)]));
}

function publicText({ privateKey }: DkimKey): string {
  return createPublicKey(privateKey).export({ type: "spki", format: "der" }).toString("base64");
}

it("each domain has an RSA key, the same at every start; Ed25519 keys are used as the setting says", async () => {
  const first = await keysAtStart(["one.example", "two.example"], false);
  expect([...first.keys()]).toEqual(["k1.one.example rsa-sha256", "k1.two.example rsa-sha256"]);
  expect(new Set(first.values()).size).toBe(2);

  const both = await keysAtStart(["one.example"], true);
  expect([...both.keys()]).toEqual(["k1.one.example rsa-sha256", "k2.one.example ed25519-sha256"]);
  expect(both.get("k1.one.example rsa-sha256")).toBe(first.get("k1.one.example rsa-sha256"));

  expect([...(await keysAtStart(["one.example"], false)).keys()]).toEqual(["k1.one.example rsa-sha256"]);
  expect(await keysAtStart(["one.example"], true)).toEqual(both);
}, 60_000);
