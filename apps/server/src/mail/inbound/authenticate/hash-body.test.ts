import { createHash } from "node:crypto";
import { canonicalBody } from "@kauke/mail-rfc";
import { expect, test } from "vitest";
import { hashBody } from "./hash-body.ts";

const MIB = 1024 * 1024;
const hashOf = (bytes: Buffer, algorithm = "sha256") => createHash(algorithm).update(bytes).digest("base64");
const nobody = () => {};

test("each key gets the hash of the length of canonical body that it asks for", async () => {
  const body = Buffer.from(`a  b \r\n${"line \t of text\r\n".repeat(20_000)}\r\n\r\n`);
  const limits = ["", "0", "1", "7", "7", "65536", "100000", "9999999", "1e3", "-1", "x"];
  const keys = ["simple:sha256", "relaxed:sha256", "relaxed:sha1"].flatMap((kind) =>
    limits.map((it) => `${kind}:${it}`),
  );
  const found = await hashBody(body, keys, nobody);
  expect([...found.keys()].sort()).toEqual([...new Set(keys)].sort());
  for (const [key, hash] of found) {
    const [form, algorithm, limit = ""] = key.split(":");
    const whole = Buffer.concat([...canonicalBody(body, form as "simple")]);
    const part = limit !== "" && Number(limit) >= 0 ? whole.subarray(0, Number(limit)) : whole;
    expect(hash.digest, key).toBe(hashOf(part, algorithm));
    expect(hash.hashedBytes, key).toBe(part.length);
    expect(hash.canonicalBytes, key).toBe(whole.length);
  }
});

test("an empty body canonicalizes to CRLF in simple form and to nothing in relaxed form", async () => {
  const found = await hashBody(Buffer.alloc(0), ["simple:sha256:", "relaxed:sha256:", "relaxed:sha256:0"], nobody);
  expect(found.get("simple:sha256:")?.digest).toBe(hashOf(Buffer.from("\r\n")));
  expect(found.get("relaxed:sha256:")?.digest).toBe(hashOf(Buffer.alloc(0)));
  expect(found.get("relaxed:sha256:0")?.hashedBytes).toBe(0);
});

test("only the SHA-256 of a whole body that is already canonical is reported", async () => {
  const reported = async (body: string, key: string) => {
    const hashes: string[] = [];
    await hashBody(Buffer.from(body), [key], (hash) => void hashes.push(hash.toString("base64")));
    return hashes;
  };
  expect(await reported("a\r\n", "relaxed:sha256:")).toEqual([hashOf(Buffer.from("a\r\n"))]);
  expect(await reported("a \r\n", "relaxed:sha256:")).toEqual([]);
  expect(await reported("a\r\n", "relaxed:sha256:2")).toEqual([]);
  expect(await reported("a\r\n", "relaxed:sha1:")).toEqual([]);
});

test("hashing a body that canonicalizes to nothing does not block the event loop", { timeout: 60_000 }, async () => {
  const body = Buffer.from(`${" \r\n".repeat((8 * MIB) / 3)}`);
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await hashBody(body, ["relaxed:sha256:"], nobody);
  isOver = true;
  expect(turns).toBeGreaterThan(4);
});
