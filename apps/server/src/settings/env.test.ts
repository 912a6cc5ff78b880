import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { parseDotEnv, readEnvironment, SettingsError } from "./env.ts";

const folder = mkdtempSync(join(tmpdir(), "kauke-env-"));
afterEach(() => rmSync(join(folder, ".env"), { force: true }));

test("names, quotes, comments and export are parsed", () => {
  const text = [
    "# a comment",
    "A=1",
    "  export B = two words  ",
    "C='it is # not a comment'",
    'D="line\\nbreak \\"quoted\\""',
    "E=value # comment",
    "F=with#hash",
    "G=",
    "H=a=b",
  ].join("\r\n");
  expect(parseDotEnv(text)).toEqual({
    A: "1",
    B: "two words",
    C: "it is # not a comment",
    D: 'line\nbreak "quoted"',
    E: "value",
    F: "with#hash",
    G: "",
    H: "a=b",
  });
});

test("a line that is no assignment is reported by its number and never quoted", () => {
  expect(() => parseDotEnv("A=1\nKAUKE_SECRET_KEY hunter2\n")).toThrow(
    new SettingsError([".env line 2 is not NAME=value."]),
  );
});

test("the process environment wins over the file, and an empty value counts as not set", () => {
  writeFileSync(join(folder, ".env"), "KAUKE_HTTP_PORT=1\nKAUKE_MX_PORT=2\nKAUKE_HOST=::1\n");
  const read = readEnvironment(folder, { KAUKE_HTTP_PORT: "9", KAUKE_HOST: " ", OTHER: undefined });
  expect(read).toEqual({ KAUKE_HTTP_PORT: "9", KAUKE_MX_PORT: "2" });
});

test("without a file the process environment alone counts", () => {
  expect(readEnvironment(folder, { A: "b" })).toEqual({ A: "b" });
});
