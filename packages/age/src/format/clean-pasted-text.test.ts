import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { expect, test } from "vitest";
import { AgeError } from "../age-error.ts";
import { armor, dearmor } from "./armor.ts";
import { cleanPastedPublicKey, pastedBlocks } from "./clean-pasted-text.ts";

const file = Uint8Array.from({ length: 200 }, (_, at) => at);
const clean = armor(file);
const lines = clean.trimEnd().split("\n");
const opens = (text: string) => Buffer.compare(dearmor(text, 1000), file) === 0;

const pasted: readonly (readonly [what: string, text: string])[] = [
  ["nothing wrong with it", clean],
  ["no line end after the last line", clean.trimEnd()],
  ["quote marks", lines.map((line) => `> ${line}`).join("\n")],
  ["quote marks of two replies", lines.map((line) => `> >${line}`).join("\r\n")],
  ["quote marks without the first line's", lines.join("\n> ")],
  ["quoted lines joined to one", lines.join(" > ")],
  ["text around it", `Hi Ann,\nthis is for you:\n\n${clean}\nBye\n-- \nBob`],
  ["text around it in the same lines", `Here: ${clean.trimEnd()} (end)`],
  ["CRLF line ends", lines.join("\r\n")],
  ["bare CR line ends", lines.join("\r")],
  ["blank lines", lines.join("\n\n\n")],
  ["spaces at the line ends", lines.join("  \n")],
  ["tabs before every line", lines.map((line) => `\t${line}`).join("\n")],
  ["no-break spaces", lines.join("\u00a0\n\u00a0")],
  ["a byte order mark before it", `\ufeff${clean}`],
  ["zero-width spaces and soft hyphens inside", lines.join("\u200b\n\u00ad").replace("YWdl", "YW\u200bdl")],
  ["variation selectors and a Hangul filler inside", lines.join("\ufe0f\n\u3164").replace("YWdl", "YW\u{e0101}dl")],
  ["all on one line", lines.join(" ")],
  ["lines of 40 characters", clean.replace(/^([^-]{40})/gm, "$1\n")],
  ["another block after it", `${clean}\n${armor(new Uint8Array(3))}`],
];

/** The first block of a text as strict armor. */
const cleaned = (text: string) => pastedBlocks(text)[0]?.armored ?? "";

test.each(pasted)("armor with %s is cleaned to strict armor", (_, text) => {
  expect(cleaned(text)).toBe(clean);
  expect(opens(cleaned(text))).toBe(true);
});

const other = armor(new Uint8Array(3));
const cut = clean.slice(0, clean.indexOf("-----END"));
const quoted = (text: string, mark = "> ") => text.trimEnd().replace(/^/gm, mark);
const block = (armored: string | null, quoteDepth: number) => ({ armored, quoteDepth });

test.each([
  ["a quoted one above the new one", `${quoted(other)}\n\n${clean}`, [block(other, 1), block(clean, 0)]],
  ["a quoted one below the new one", `${clean}\nRasa:\n${quoted(other)}`, [block(clean, 0), block(other, 1)]],
  ["a cut one above the new one", `${quoted(cut)}\n[...]\n${other}`, [block(null, 1), block(other, 0)]],
  ["a cut one below the new one", `${other}\n${quoted(cut)}`, [block(other, 0), block(null, 1)]],
  ["a cut one, itself unquoted, above", `${cut}\nRasa:\n${quoted(other)}`, [block(null, 0), block(other, 1)]],
  ["one of two replies", `${quoted(other, "> > ")}\r\n${quoted(clean, ">")}`, [block(other, 2), block(clean, 1)]],
  ["quote marks after a no-break space", quoted(other, "\u00a0>\u00a0|"), [block(other, 2)]],
  ["a quoted one joined to one line", `> ${lines.join(" > ")} ${other}`, [block(clean, 1), block(other, 0)]],
  ["quote marks in later lines only", lines.join("\n> "), [block(clean, 1)]],
  ["other text before it in its line", `See > here: ${clean}`, [block(clean, 0)]],
  ["two without quote marks", `${clean}\n-----Original Message-----\n${other}`, [block(clean, 0), block(other, 0)]],
  ["the same one twice", `${quoted(clean)}\n${clean}`, [block(clean, 0)]],
  ["only the first marker", cut, [block(null, 0)]],
])("blocks of a text: %s", (_, text, blocks) => {
  expect(pastedBlocks(text)).toEqual(blocks);
});

test("the strict decoder accepts only text that is strict already", () => {
  expect(opens(clean)).toBe(true);
  expect(opens(`\r\n \t${lines.join("\r\n")}\n\n`)).toBe(true);
  for (const [what, text] of pasted.slice(2).filter(([name]) => name !== "CRLF line ends")) {
    expect(() => dearmor(text, 1000), what).toThrow(AgeError);
  }
});

test.each(["", "Hello", lines.slice(1).join("\n")])("text without an armored block has none", (text) =>
  expect(pastedBlocks(text)).toEqual([]),
);

test("of thousands of blocks thirty are read", () => {
  const numbered = Array.from({ length: 5000 }, (_unused, number) => armor(Uint8Array.of(number >> 8, number & 255)));
  expect(pastedBlocks(numbered.join("\n")).map(({ armored }) => armored)).toEqual(numbered.slice(0, 30));
});

test("only blanks and quote marks are removed: a wrong character is still refused", () => {
  const wrong = cleaned(clean.replace("AAEC", "AA*C"));
  expect(wrong).toContain("AA*C");
  expect(() => dearmor(wrong, 1000)).toThrow(new AgeError("malformed"));
});

test("cleaning clean text changes nothing", () => {
  const piece = fc.oneof(fc.constantFrom(...lines, "> ", "\n", "\r\n", "\u00a0", " "), fc.string({ unit: "binary" }));
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const once = cleaned(pieces.join(""));
      expect(cleaned(once)).toBe(once);
    }),
    { numRuns: process.env.LONG_ROUNDS === "1" ? 100_000 : 2000 },
  );
});

test("4 MiB of arbitrary text are cleaned within a second of processor time", () => {
  for (const filling of [" ", ">", "> ", "\n", "\r", lines[0] ?? "", "\u200b", "A", "\u00a0\n"]) {
    const text = `${lines[0]}\n${filling.repeat((4 * 1024 * 1024) / filling.length)}\n${lines.at(-1)}`;
    const began = process.cpuUsage();
    pastedBlocks(text);
    const { user, system } = process.cpuUsage(began);
    expect((user + system) / 1000, JSON.stringify(filling)).toBeLessThan(1000);
  }
});

test("4 MiB of blanks are removed in a process in which V8 has stopped optimizing regular expressions", () => {
  const program = `
    const { pastedBlocks } = await import(${JSON.stringify(new URL("./clean-pasted-text.ts", import.meta.url).href)});
    const blanks = " ".repeat(4 * 1024 * 1024);
    const clean = ${JSON.stringify(clean)};
    console.log(pastedBlocks(clean.replace("\\n", blanks))[0].armored === clean);`;
  const flags = ["--no-regexp-optimization", "--input-type=module", "--eval"];
  expect(execFileSync(process.execPath, [...flags, program], { encoding: "utf8" })).toBe("true\n");
});

test("a public key that was wrapped, indented or labelled is restored", () => {
  const key = "age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj";
  const wrapped = `  ${key.slice(0, 30)}\r\n  ${key.slice(30)}\u00a0\n`;
  for (const text of [key, wrapped, `Public key: ${key}\n`, `# public key: ${key}`]) {
    expect(cleanPastedPublicKey(text)).toBe(key);
  }
});
