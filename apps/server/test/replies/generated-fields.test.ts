/**
 * No header field that we write contains a control character or a line of a stranger's, whatever code point is in its
 * input. Each function that makes fields (field-makers.testing.ts) gets texts of sixteen code points; if it rejects
 * one, each code point is tried alone.
 */
import { MailSyntaxError, srsForward } from "@kauke/mail-rfc";
import { everyCodePoint, fieldFault, sampleOfCodePoints } from "@kauke/testkit/field-law";
import { isLongRun, printFigures } from "@kauke/testkit/long-rounds";
import { describe, expect, test } from "vitest";
import { at, type FieldEncoding, type Maker, makers, rules } from "./field-makers.testing.ts";

/**
 * Texts given to a function that makes fields. The field builder, which all others use, gets every code point in every
 * run, the other functions only in long runs.
 */
const textsFor = (name: string) =>
  isLongRun || name.startsWith("a field of") ? everyCodePoint(16) : sampleOfCodePoints(16);

/** @returns a description of the first fault, `null` if there is none; a rejected text is not a fault */
async function faultOf(make: Maker, text: string, encoding: FieldEncoding): Promise<string | null> {
  try {
    const [bytes, names] = await make(text, encoding);
    return fieldFault(bytes, names);
  } catch (thrown) {
    if (thrown instanceof MailSyntaxError) return "refused";
    throw thrown;
  }
}

describe("fields made from every code point", { timeout: 3_600_000 }, () => {
  test.each(Object.entries(makers))("%s", async (name, make) => {
    let texts = 0;
    const faults: string[] = [];
    for (const chunk of textsFor(name)) {
      const isRefused = (await faultOf(make, chunk, "utf8")) === "refused";
      for (const text of isRefused ? chunk : [chunk]) {
        texts += 1;
        const fault = await faultOf(make, text, "utf8");
        if (fault !== null && fault !== "refused") faults.push(`${escape(text)} ${fault}`);
      }
      if (faults.length > 5) break;
    }
    expect(faults).toEqual([]);
    printFigures(name, { texts });
  });

  test.each(Object.entries(makers))("%s, with bytes that are not UTF-8", async (_, make) => {
    for (let byte = 0; byte < 256; byte += 1) {
      const fault = await faultOf(make, `a${String.fromCharCode(byte)}b`, "latin1");
      expect(fault === "refused" ? null : fault, `byte ${byte}`).toBeNull();
    }
  });
});

describe("control: these faults are found:", () => {
  test.each([
    [
      "a field converted to Latin-1, as fields once were",
      Buffer.from("X-Any: a\u010d\u060aX-Injected: yes\r\n", "latin1"),
    ],
    ["a single byte of a field converted to Latin-1", Buffer.from("X-Any: \u0185\r\n", "latin1")],
    ["an additional field", Buffer.from("X-Any: a\r\nX-Injected: yes\r\n")],
    ["a field twice", Buffer.from("X-Any: a\r\nX-Any: b\r\n")],
    ["a bare CR", Buffer.from("X-Any: a\rb\r\n")],
    ["a bare LF", Buffer.from("X-Any: a\nb\r\n")],
    ["a line separator", Buffer.from("X-Any: a\u2028b\r\n")],
    ["a next line", Buffer.from("X-Any: a\u0085b\r\n")],
    ["a NUL", Buffer.from("X-Any: a\0b\r\n")],
    ["the end of the header", Buffer.from("X-Any: a\r\n\r\n")],
    ["a line of white space", Buffer.from("X-Any: a\r\n \r\n b\r\n")],
    ["a long line", Buffer.from(`X-Any: ${"a".repeat(1000)}\r\n`)],
  ])("%s", (_, bytes) => {
    expect(fieldFault(bytes, ["x-any"])).not.toBeNull();
    expect(fieldFault(Buffer.from("X-Any: a\r\n\tb\r\n"), ["x-any"])).toBeNull();
  });

  test("the former conversion to Latin-1 in every function that passes letters beyond ASCII", async () => {
    const found: string[] = [];
    for (const [name, make] of Object.entries(makers)) {
      const asOnce: Maker = async (text, encoding) => {
        const [bytes, names] = await make(text, encoding);
        return [Buffer.from(bytes.toString("utf8"), "latin1"), names];
      };
      if ((await faultOf(asOnce, "a\u010d\u060ab", "utf8")) !== null) found.push(name);
    }
    expect(found).toContain("a field of words");
    expect(found).toContain("an ARC set as the signer writes it");
    expect(found).toContain("a forwarded message, whole");
    expect(found).toContain("Authentication-Results: as stored by older versions");
  });
});

test("SRS addresses contain no line end either", () => {
  const options = { domain: "kauke.test", isOurDomain: () => false, hashes: [rules.srsHash] as const, now: at };
  for (const text of sampleOfCodePoints(1)) {
    let path = "";
    try {
      path = srsForward(`a${text}@sender.example`, options);
    } catch (thrown) {
      expect(thrown).toBeInstanceOf(MailSyntaxError);
    }
    expect(path).not.toMatch(/\p{Cc}/u);
  }
});

const escape = (text: string) => [...text].map((it) => `U+${it.codePointAt(0)?.toString(16)}`).join(" ");
