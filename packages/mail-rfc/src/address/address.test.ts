import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MailSyntaxError } from "../mail-syntax-error.ts";
import {
  asciiAddress,
  canonicalDomain,
  canonicalLocal,
  type MailPath,
  parseAddress,
  parsePath,
  parsePathArgument,
  quoteLocal,
  splitAliasAddress,
  unquoteLocal,
} from "./address.ts";

const rows = (name: string): string[][] =>
  readFileSync(new URL(`../../../../test-vectors/addresses/${name}`, import.meta.url), "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("# "))
    .map((line) => line.split("\t"));

function reasonOf(read: () => unknown): string {
  try {
    read();
  } catch (thrown) {
    if (thrown instanceof MailSyntaxError) return thrown.reason;
    throw thrown;
  }
  return "taken";
}

describe("parsePath", () => {
  it.each(rows("valid.txt"))("reads %s as %s", (text, canonical) => {
    const path = parsePath(text ?? "");
    expect(path.canonical).toBe(canonical);
    expect(path.needsSmtpUtf8).toBe(/[^ -~]/.test(canonical ?? ""));
  });

  it.each(rows("invalid.txt"))("rejects %s with %s", (text, reason) => {
    expect(reasonOf(() => parsePath(JSON.parse(text ?? "") as string))).toBe(reason);
  });

  it("returns the parts of a mailbox", () => {
    expect(parsePath('<"ann lee"@[192.0.2.1]>')).toEqual({
      local: '"ann lee"',
      domain: "[192.0.2.1]",
      canonical: '"ann lee"@[192.0.2.1]',
      isLiteral: true,
      needsSmtpUtf8: false,
    } satisfies MailPath);
  });

  it("leaves a canonical address unchanged", () => {
    for (const [text = ""] of rows("valid.txt")) {
      const { canonical, domain } = parsePath(text);
      if (domain !== "") expect(parseAddress(canonical).canonical).toBe(canonical);
    }
  });

  it("rejects a lone surrogate in the local part and in the domain", () => {
    expect(reasonOf(() => parsePath("<a\ud800@example.org>"))).toBe("local_syntax");
    expect(reasonOf(() => parsePath("<a@ex\udc00ample.org>"))).toBe("domain_syntax");
  });

  it("throws nothing but MailSyntaxError, and every accepted path is within the limits", () => {
    const sign = fc.constantFrom(...'<>@"\\.,:;[] ()ab09=+-_ąž\r\n\0\u{1f600}\ufffd');
    const text = fc.oneof(
      fc.string({ unit: "binary", maxLength: 300 }),
      fc.array(sign, { maxLength: 80 }).map((signs) => signs.join("")),
      fc.array(sign, { maxLength: 60 }).map((signs) => `<${signs.join("")}@example.org>`),
    );
    fc.assert(
      fc.property(text, (input) => {
        if (reasonOf(() => parsePath(input)) !== "taken") return;
        const path = parsePath(input);
        expect(Buffer.byteLength(path.local)).toBeLessThanOrEqual(66);
        expect(Buffer.byteLength(path.canonical)).toBeLessThanOrEqual(254);
        expect(path.canonical).not.toMatch(/[\0-\x1f\x7f]/);
      }),
      { numRuns: 2000 },
    );
  });
});

describe("parsePathArgument", () => {
  it("splits the path from its parameters", () => {
    const { path, parameters } = parsePathArgument(' <"a> b"@example.org>  SIZE=10 BODY=7BIT ');
    expect(path.canonical).toBe('"a> b"@example.org');
    expect(parameters).toBe("SIZE=10 BODY=7BIT");
  });

  it.each(["", "ann@example.org SIZE=1", "<ann@example.org>SIZE=1", '<"ann@example.org> SIZE=1', "<a<b>@example.org>"])(
    "refuses %j",
    (argument) => {
      expect(reasonOf(() => parsePathArgument(argument))).toBe("path_syntax");
    },
  );

  it("takes linear time for hostile input", () => {
    for (const unit of ["<", '"', "\\", '<"', '"a\\', "@a,", "<@", "a@", "."]) {
      const began = performance.now();
      reasonOf(() => parsePathArgument(`<${unit.repeat(65_536 / unit.length)}`));
      reasonOf(() => parsePath(`<${unit.repeat(65_536 / unit.length)}>`));
      expect(performance.now() - began).toBeLessThan(500);
    }
  });
});

describe("local parts", () => {
  it("are the same after quoting and unquoting", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 30 }), (meaning) => {
        fc.pre(/^[ -~]*$/.test(meaning));
        const local = quoteLocal(meaning);
        expect(unquoteLocal(local)).toBe(meaning);
        expect(canonicalLocal(local)).toBe(local);
      }),
    );
  });

  it("can't contain a line break, however quoted", () => {
    expect(reasonOf(() => quoteLocal("a\r\nb"))).toBe("local_syntax");
    expect(reasonOf(() => canonicalLocal('"a\r\nb"'))).toBe("local_syntax");
  });
});

describe("splitAliasAddress", () => {
  it.each([
    ["shop", "shop", null],
    ["shop+summer", "shop", "summer"],
    ["shop+", "shop", ""],
    ["shop+a+b", "shop", "a+b"],
    ["+a", "", "a"],
  ])("splits the tag from %s", (local, name, tag) => {
    expect(splitAliasAddress(local)).toEqual({ name, tag });
  });
});

it("two Unicode normal forms of a domain have the same canonical form", () => {
  expect(canonicalDomain("z\u030cuvis.example")).toBe(canonicalDomain("žuvis.example"));
});

it.each([
  ["Ich@Bücher.example", "ich@xn--bcher-kva.example"],
  ["ich@XN--BCHER-KVA.example", "ich@xn--bcher-kva.example"],
  ['"a@b"@own.example', '"a@b"@own.example'],
  ["Shop", "shop"],
])("%s in lower case with A-labels is %s", (address, ascii) => {
  expect(asciiAddress(address)).toBe(ascii);
});
