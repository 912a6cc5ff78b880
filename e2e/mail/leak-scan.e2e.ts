/** Negative control of the leak scan: a word is found in every encoding, and what is not there is not found. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { makeDataDir, removeDataDirs } from "@kauke/testkit/server-process";
import { afterAll, expect, test } from "vitest";
import { findLeaks, scannedEncodings } from "./leak-scan.ts";

afterAll(removeDataDirs);

const word = "jonas.inbox@inbox.example";
const hidden: Readonly<Record<string, Buffer>> = {
  plain: Buffer.from(`to ${word}.`),
  "other case": Buffer.from(word.toUpperCase()),
  "UTF-16": Buffer.from(`to ${word}.`, "utf16le"),
  base64: Buffer.from(Buffer.from(`a message to ${word} ok`).toString("base64")),
  base64url: Buffer.from(Buffer.from(`ab message to ${word} ok`).toString("base64url")),
  hex: Buffer.from(Buffer.from(`to ${word}.`).toString("hex")),
  "URL encoding": Buffer.from(`?to=${encodeURIComponent(word)}&x`),
  "JSON escapes": Buffer.from(
    word.replace(/[.@]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`),
  ),
  "quoted-printable": Buffer.from(
    word.replace(/[.@]/g, (letter) => `=${letter.charCodeAt(0).toString(16).toUpperCase()}`),
  ),
  backwards: Buffer.from([...word].reverse().join("")),
};

test("every encoding that is searched for has an example here", () => {
  expect(Object.keys(hidden)).toEqual(Object.keys(scannedEncodings));
});

test.each(Object.entries(hidden))("a word written as %s is found, in a file and in the output", async (as, bytes) => {
  const dataDir = await makeDataDir();
  await writeFile(join(dataDir, "file"), Buffer.concat([Buffer.alloc(1000), bytes, Buffer.alloc(1000)]));
  expect(await findLeaks([word], dataDir, "")).toContainEqual({ word, as, where: "file" });
  expect(await findLeaks([word], dataDir, bytes.toString("latin1"))).toContainEqual({ word, as, where: "output" });
});

test("a word that is not there is not found", async () => {
  const dataDir = await makeDataDir();
  await writeFile(join(dataDir, "file"), "jonas.inbox at inbox.example");
  expect(await findLeaks([word], dataDir, "nothing to see")).toEqual([]);
});
