import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { countFields, firstValue, readHeader } from "../header/headers.ts";
import { stuff, unstuff } from "./dot-stuffing.ts";

const folder = (name: string) => new URL(`../../../../test-vectors/${name}/`, import.meta.url);
const fixture = (name: string): Buffer => readFileSync(new URL(`${name}.eml`, folder("eml")));
const names = readdirSync(folder("eml"))
  .filter((name) => name.endsWith(".eml"))
  .map((name) => name.slice(0, -4));

describe("message fixtures", () => {
  it("are all described, and every described fixture exists", () => {
    const described = [...readFileSync(new URL("README.md", folder("eml")), "utf8").matchAll(/^\| `([^`]+)` /gm)];
    expect(new Set(described.map((row) => row[1]))).toEqual(new Set(names));
    expect(names.length).toBeGreaterThanOrEqual(18);
  });

  it.each(names)("%s: has only CRLF line ends and survives dot-stuffing unchanged", (name) => {
    const bytes = fixture(name);
    expect(bytes.toString("latin1")).not.toMatch(/(?<!\r)\n|\r(?!\n)/);
    expect(unstuff(stuff(bytes)).equals(bytes)).toBe(true);
  });

  it.each(names)("%s: the header ends where the body begins, in wire form too", (name) => {
    const bytes = fixture(name);
    const plain = readHeader(bytes);
    expect(plain.isSeparated).toBe(!["headers-only", "body-at-once"].includes(name));
    const wire = readHeader(stuff(bytes));
    expect({ ...wire }).toEqual({ ...plain });
  });

  it("contain the feature they are named after", () => {
    const header = (name: string) => readHeader(fixture(name));
    expect(header("headers-300").fields).toHaveLength(300);
    expect(header("no-headers").fields).toEqual([]);
    expect(header("body-at-once").end).toBe(0);
    expect(countFields(header("no-message-id").fields, "message-id")).toBe(0);
    expect(countFields(header("mailing-list").fields, "dkim-signature")).toBe(2);
    expect(firstValue(fixture("smtputf8-headers"), header("smtputf8-headers").fields, "to")).toContain("商店");
    expect(firstValue(fixture("raw-8bit-headers"), header("raw-8bit-headers").fields, "subject")).toBe("Menü für März");
    expect(
      Math.max(
        ...fixture("line-of-998")
          .toString("latin1")
          .split("\r\n")
          .map((line) => line.length),
      ),
    ).toBe(998);
    expect(stuff(fixture("leading-dots")).length - fixture("leading-dots").length).toBe(9);
    expect(fixture("eight-bit-body").toString("utf8")).toContain("\ufffd");
  });
});

it("a bare line feed does not end a line, neither in the header nor for dot-stuffing", () => {
  const bytes = readFileSync(new URL("bare-line-feeds.eml", folder("eml-odd")));
  expect(readHeader(bytes)).toMatchObject({ isSeparated: true });
  expect(stuff(bytes).length - bytes.length).toBe(1);
  expect(unstuff(stuff(bytes)).equals(bytes)).toBe(true);
});
