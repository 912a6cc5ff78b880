import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readDomainName } from "./domain-name.ts";

const serverNames = ["kauke.test", "slapta.test", "mail.kauke.test", "app.kauke.example", "localhost", "192.0.2.1"];
const read = (text: string) => readDomainName(text, serverNames);
const domainOf = (text: string) => {
  const result = read(text);
  return result.kind === "read" ? result.domain : result.kind;
};

describe("the name of an own domain", () => {
  it.each([
    ["own.example", "own.example"],
    ["  Own.Example. ", "own.example"],
    ["mail.own.co.uk", "mail.own.co.uk"],
    ["ąžuolas.lt", "xn--uolas-2wa16f.lt"],
    ["ĄŽUOLAS。LT", "xn--uolas-2wa16f.lt"],
    ["xn--uolas-2wa16f.lt", "xn--uolas-2wa16f.lt"],
    ["faß.example", "xn--fa-hia.example"],
    // Written with a Cyrillic "а": another name than paypal.example, which the A-labels show.
    ["pаypal.example", "xn--pypal-4ve.example"],
    ["me.github.io", "me.github.io"],
    ["kauke.test.example", "kauke.test.example"],
    ["notkauke.test", "notkauke.test"],
  ])("%j is read as %s", (text, domain) => {
    expect(domainOf(text)).toBe(domain);
  });

  it.each([
    "",
    ".",
    "own",
    "own.",
    "own..example",
    ".own.example",
    "own.example..",
    "-own.example",
    "own-.example",
    "o_wn.example",
    "own example.com",
    "own\u0000.example",
    "own\t.example",
    "own%2eexample.com",
    "https://own.example",
    "own.example/path",
    "own.example:25",
    "ann@own.example",
    "own.example?x",
    "own.example#x",
    "own\\.example",
    "*.own.example",
    "192.0.2.7",
    "0x7f.1",
    "1.2",
    "[::1]",
    "xn--a.example",
    `${"a".repeat(64)}.example`,
    `${"a.".repeat(95)}example`,
    "\ud800.example",
  ])("%j is no domain name", (text) => {
    expect(read(text)).toEqual({ kind: "invalid" });
  });

  it.each(["co.uk", "CO.UK.", "github.io", "s3.amazonaws.com"])("%s is a public suffix", (text) => {
    expect(read(text)).toEqual({ kind: "suffix" });
  });

  it.each([
    "kauke.test",
    "KAUKE.TEST.",
    "a.b.kauke.test",
    "slapta.test",
    "smtp.mail.kauke.test",
    "app.kauke.example",
    // Above a name of the server.
    "kauke.example",
  ])("%s is the server's", (text) => {
    expect(read(text)).toEqual({ kind: "of_server" });
  });

  it("is the same when it is read again, in any case and with a trailing dot", () => {
    const label = fc.stringMatching(/^[a-z0-9ąžäöß][a-z0-9ąžäöß-]{0,8}[a-z0-9ąžäöß]$/u);
    fc.assert(
      fc.property(fc.array(label, { minLength: 1, maxLength: 4 }), (labels) => {
        const result = read(`${labels.join(".")}.example`);
        if (result.kind !== "read") return;
        expect(read(result.domain)).toEqual(result);
        expect(read(`${result.domain.toUpperCase()}.`)).toEqual(result);
      }),
    );
  });

  it("is a name that can be looked up, or nothing, whatever a person writes", () => {
    const pieces = fc.constantFrom("a", ".", "é", "xn--", "。", "日", "-", "A", "%41", "@", "/", "\u0000", " ", "1");
    const text = fc.array(fc.oneof(pieces, fc.string()), { maxLength: 12 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(text, (name) => {
        const result = readDomainName(name, serverNames);
        if (result.kind === "read") expect(result.domain).toMatch(/^(?:[a-z0-9-]{1,63}\.)+[a-z0-9-]{1,63}$/);
      }),
      { numRuns: 500 },
    );
  });
});
