import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type * as z from "zod";
import { createAliasBody, toggleAliasBody, updateAliasBody } from "./alias.ts";
import { formatForwardTo, isAliasName, isMailbox, isWebhookUrl, parseForwardTo } from "./destinations.ts";

const lines = (name: string): string[] =>
  readFileSync(new URL(`../../../test-vectors/addresses/${name}`, import.meta.url), "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("# "))
    .map((line) => line.split("\t")[0] ?? "");
const unquoted = (name: string): string[] => lines(name).map((line) => JSON.parse(line) as string);

/** The first message per field, as a form shows it; the key `""` stands for the whole body. */
function messagesOf(schema: z.ZodType, body: unknown): Record<string, string> {
  const found: Record<string, string> = {};
  for (const issue of schema.safeParse(body).error?.issues ?? []) found[issue.path.join(".")] ??= issue.message;
  return found;
}

const good = { alias: "shop", domain: "kauke.test", forwardTo: "ann@example.org" };
const FORMAT = "Please enter valid email addresses and/or webhook URLs (https://hooks.example.org) separated by commas";

describe("alias names", () => {
  it.each(["a", "A", "shop", "shop.k7", "a-b_c", "-", "_", "1", "-a-", "a.b.c", "a".repeat(64)])("takes %s", (name) => {
    expect(isAliasName(name)).toBe(true);
  });

  it.each([
    "",
    ".",
    ".a",
    "a.",
    "a..b",
    "a b",
    "a+b",
    "a@b",
    "ž",
    "a\n",
    "a\u0000",
    "а",
    "a".repeat(65),
    "a,b",
    "a/b",
    "<a>",
  ])("refuses %j", (name) => {
    expect(isAliasName(name)).toBe(false);
  });

  it("checks 64 KiB of almost valid input within half a second", () => {
    const began = performance.now();
    for (const unit of ["a.", "a", ".a"]) isAliasName(`${unit.repeat(32_768)}@`);
    expect(performance.now() - began).toBeLessThan(500);
  });
});

describe("mailboxes", () => {
  it.each(lines("mailboxes-valid.txt"))("takes %s", (text) => {
    expect(isMailbox(text)).toBe(true);
  });

  it.each(unquoted("mailboxes-invalid.txt"))("refuses %j", (text) => {
    expect(isMailbox(text)).toBe(false);
  });

  it("checks 64 KiB of arbitrary input within half a second", () => {
    for (const unit of ["a", "a@", "a.", "@a.", "ž", "-"]) {
      const began = performance.now();
      isMailbox(unit.repeat(65_536 / unit.length));
      expect(performance.now() - began).toBeLessThan(500);
    }
  });
});

describe("webhook URLs", () => {
  it.each(lines("webhooks-valid.txt"))("takes %s", (text) => {
    expect(isWebhookUrl(text)).toBe(true);
  });

  it.each(unquoted("webhooks-invalid.txt"))("refuses %j", (text) => {
    expect(isWebhookUrl(text)).toBe(false);
  });

  it("every accepted URL names a host and no credentials", () => {
    const piece = fc.constantFrom(
      "https://",
      "http:",
      "//",
      "/",
      "\\",
      "@",
      ":",
      "a",
      "example.org",
      "?",
      "#",
      "[::1]",
      "%40",
    );
    fc.assert(
      fc.property(
        fc.array(piece).map((pieces) => `https:${pieces.join("")}`),
        (text) => {
          fc.pre(isWebhookUrl(text));
          const url = new URL(text);
          expect([url.username, url.password]).toEqual(["", ""]);
          expect(url.hostname).not.toBe("");
        },
      ),
      { numRuns: 2000 },
    );
  });
});

describe("forwardTo", () => {
  it("reads mailboxes and webhooks mixed, in order, without white space", () => {
    expect(parseForwardTo(" ann@example.org ,https://hooks.example.org/in")).toEqual([
      { kind: "mailbox", address: "ann@example.org" },
      { kind: "webhook", url: "https://hooks.example.org/in" },
    ]);
  });

  it("stores addresses in NFC, the form in which mailboxes are compared: a Kelvin sign becomes a K", () => {
    expect(parseForwardTo("mi\u212Ae@example.org, mike@example.org")).toEqual([
      { kind: "mailbox", address: "miKe@example.org" },
    ]);
  });

  it("removes duplicates and keeps the first spelling; URL paths are case-sensitive, mailboxes are not", () => {
    expect(
      parseForwardTo("Ann@example.org, ann@EXAMPLE.org, https://a.test/X, https://a.test/x, https://a.test/X"),
    ).toEqual([
      { kind: "mailbox", address: "Ann@example.org" },
      { kind: "webhook", url: "https://a.test/X" },
      { kind: "webhook", url: "https://a.test/x" },
    ]);
  });

  it.each([
    "",
    ",",
    "null",
    "NULL",
    "ann@example.org,",
    ",ann@example.org",
    "ann@example.org,,b@example.org",
    "ann@example.org;b@example.org",
    "ann@example.org, null",
  ])("rejects %j", (text) => {
    expect(parseForwardTo(text)).toBeNull();
  });

  it("parses what formatForwardTo wrote back to the same destinations", () => {
    const destination = fc.constantFrom(...lines("mailboxes-valid.txt"), ...lines("webhooks-valid.txt"));
    fc.assert(
      fc.property(fc.array(destination, { minLength: 1, maxLength: 10 }), (entries) => {
        const first = parseForwardTo(entries.join(" , "));
        expect(first).not.toBeNull();
        expect(parseForwardTo(formatForwardTo(first ?? []))).toEqual(first);
      }),
    );
  });
});

describe("create", () => {
  it("trims text, lower-cases the domain, and leaves the rest as typed", () => {
    const body = { alias: " Shop ", domain: " Kauke.TEST ", forwardTo: " Ann@Example.org ", notes: " for books " };
    expect(createAliasBody.parse(body)).toEqual({
      alias: "Shop",
      domain: "kauke.test",
      forwardTo: "Ann@Example.org",
      notes: " for books ",
    });
  });

  it("reports each missing field with the specification's message", () => {
    const messages = {
      alias: "Alias is required",
      domain: "Domain is required",
      forwardTo: "At least one email address or webhook URL is required",
    };
    expect(messagesOf(createAliasBody, {})).toEqual(messages);
    expect(messagesOf(createAliasBody, { alias: " ", domain: "", forwardTo: "\t" })).toEqual(messages);
    expect(messagesOf(createAliasBody, { alias: null, domain: 7, forwardTo: ["ann@example.org"] })).toEqual(messages);
  });

  it.each([
    [{ alias: "a b" }, "alias", "Invalid alias format"],
    [{ alias: "a".repeat(65) }, "alias", "Invalid alias format"],
    [{ forwardTo: "null" }, "forwardTo", FORMAT],
    [{ forwardTo: "ann" }, "forwardTo", FORMAT],
    [{ forwardTo: `ann@example.org,${" ".repeat(4096)}b@example.org` }, "forwardTo", FORMAT],
    [
      { forwardTo: Array.from({ length: 11 }, (_, index) => `a${index}@example.org`).join() },
      "forwardTo",
      "An alias forwards to 10 destinations at most",
    ],
    [{ notes: "n".repeat(129) }, "notes", "Notes must be 128 characters or less"],
    [{ notes: "a\u0000b" }, "notes", "Notes can't hold a NUL character"],
  ])("rejects %j with the right message", (change, field, message) => {
    expect(messagesOf(createAliasBody, { ...good, ...change })).toEqual({ [field]: message });
  });

  it("accepts notes of 128 characters, ten destinations, and one destination repeated eleven times", () => {
    const ten = Array.from({ length: 10 }, (_, index) => `a${index}@example.org`).join();
    const eleven = Array.from({ length: 11 }, () => "ann@example.org").join();
    for (const change of [{ notes: "n".repeat(128) }, { notes: "" }, { forwardTo: ten }, { forwardTo: eleven }])
      expect(messagesOf(createAliasBody, { ...good, ...change })).toEqual({});
  });

  it.each([null, undefined, 7, "text", [], true])("a body of %j is an error, never a throw", (body) => {
    expect(createAliasBody.safeParse(body).success).toBe(false);
    expect(updateAliasBody.safeParse(body).success).toBe(false);
  });

  it("either accepts arbitrary input or gives a reason", () => {
    fc.assert(
      fc.property(
        fc.record({ alias: fc.anything(), domain: fc.anything(), forwardTo: fc.anything(), notes: fc.anything() }),
        (body) => {
          const result = createAliasBody.safeParse(body);
          if (!result.success) expect(result.error.issues.length).toBeGreaterThan(0);
        },
      ),
    );
  });
});

describe("update", () => {
  const AT_LEAST_ONE = "At least one field (alias, forwardTo, active, notes, or lastForwardTo) must be provided";

  it.each([{}, { unknown: 1 }, { alias: undefined }])("rejects %j, which changes nothing", (body) => {
    expect(messagesOf(updateAliasBody, body)).toEqual({ "": AT_LEAST_ONE });
  });

  it.each([
    { alias: "a" },
    { forwardTo: "ann@example.org" },
    { active: false },
    { notes: "" },
    { lastForwardTo: "https://hooks.example.org" },
  ])("accepts %j", (body) => {
    expect(updateAliasBody.parse(body)).toEqual(body);
  });

  it("applies the rules of create to each field", () => {
    expect(
      messagesOf(updateAliasBody, { alias: "", forwardTo: "null", notes: "n".repeat(129), lastForwardTo: "" }),
    ).toEqual({
      alias: "Alias is required",
      forwardTo: FORMAT,
      notes: "Notes must be 128 characters or less",
      lastForwardTo: "At least one email address or webhook URL is required",
    });
  });
});

it("toggle accepts a boolean and rejects values that resemble one", () => {
  expect(toggleAliasBody.parse({ active: false })).toEqual({ active: false });
  for (const active of ["false", 0, null, undefined]) {
    expect(messagesOf(toggleAliasBody, { active })).toEqual({ active: "active must be true or false" });
  }
});
