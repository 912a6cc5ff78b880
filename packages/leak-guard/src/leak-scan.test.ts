import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findLeak, type ScannedParts } from "./search-message.ts";

interface Row {
  why: string;
  part: keyof ScannedParts;
  text: string;
}

const { destinations, leaks, clean }: { destinations: string[]; leaks: Row[]; clean: Row[] } = JSON.parse(
  readFileSync(new URL("../../../test-vectors/leaks.json", import.meta.url), "utf8"),
);

describe("the leak scan", () => {
  it.each(leaks)("finds $why: $text", ({ part, text }) => {
    expect(destinations).toContain(findLeak({ [part]: text }, destinations));
    expect(findLeak({ [part]: text }, ["nobody@elsewhere.example"])).toBeNull();
  });

  it.each(clean)("reports nothing for $why: $text", ({ part, text }) => {
    expect(findLeak({ [part]: text }, destinations)).toBeNull();
  });

  it("returns the destination in the spelling it was given", () => {
    expect(findLeak({ text: "olga@owner.example" }, ["bob@x.example", "Olga+Shop@Owner.Example"])).toBe(
      "Olga+Shop@Owner.Example",
    );
  });

  it("finds an address in the middle of any text, in each of these spellings", () => {
    const written = fc.constantFrom<(text: string) => string>(
      (text) => text,
      (text) => text.toUpperCase(),
      (text) => [...text].map((sign) => `&#${sign.codePointAt(0)};`).join(""),
      (text) => [...text].map((sign) => `&#x${sign.codePointAt(0)?.toString(16)}`).join(";"),
      (text) => text.replace("@", "%40"),
      (text) => text.replace("@", "&commat;"),
      (text) => text.replace("@", "%2540"),
      (text) => text.replace("@", "<b>@</b>"),
      (text) => [...text].join("\u{200b}"),
    );
    const around = fc.string({ unit: "binary", maxLength: 60 }).map((text) => text.replace(/[<&%]/g, ""));
    fc.assert(
      fc.property(around, written, around, (before, write, after) => {
        expect(findLeak({ html: `${before} ${write("olga@owner.example")} ${after}` }, destinations)).not.toBeNull();
      }),
      { numRuns: 500 },
    );
  });

  it("never throws, and finds nothing without destinations", () => {
    const anyText = fc.string({ unit: "binary", maxLength: 200 });
    fc.assert(
      fc.property(anyText, anyText, fc.array(anyText, { maxLength: 3 }), (html, headers, wanted) => {
        expect([null, ...wanted]).toContain(findLeak({ html, headers, text: html, calendar: html }, wanted));
        expect(findLeak({ html }, [])).toBeNull();
      }),
    );
  });

  it("reads 25 MB of percent signs in a process in which V8 no longer optimizes regular expressions", () => {
    const program = `
      const { findLeak } = await import(${JSON.stringify(new URL("./search-message.ts", import.meta.url).href)});
      const html = "%41".repeat(25e6 / 3) + " olga%40owner.example";
      console.log(findLeak({ html }, ["olga@owner.example"]));`;
    const flags = ["--no-regexp-optimization", "--input-type=module", "--eval"];
    expect(execFileSync(process.execPath, [...flags, program], { encoding: "utf8" })).toBe("olga@owner.example\n");
  });
});
