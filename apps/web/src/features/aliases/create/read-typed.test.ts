import { isMailbox, isWebhookUrl, parseForwardTo } from "@kauke/contract";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { entriesOf } from "../alias-text.ts";
import {
  hasDestination,
  pastedInto,
  readDestinations,
  readName,
  replaceDestination,
  splitTyping,
  toggleDestination,
  wrongDestinations,
} from "./read-typed.ts";

const domains = ["kauke.test", "slapta.test"];

describe("readName", () => {
  test.each([
    ["shop@kauke.test", "shop", "kauke.test"],
    [" shop@slapta.test ", "shop", "slapta.test"],
    ["shop@KAUKE.test", "shop", "kauke.test"],
    ["Shop <shop@kauke.test>", "shop", "kauke.test"],
    ["mailto:shop@kauke.test?subject=Hello", "shop", "kauke.test"],
    ["<mailto:shop@kauke.test>", "shop", "kauke.test"],
    ["shop@kauke.test,", "shop", "kauke.test"],
    ["two words@kauke.test", "two words", "kauke.test"],
  ])("%j is read as the name %j on the domain %s", (text, alias, domain) => {
    expect(readName(text, domains)).toEqual({ alias, domain });
  });

  test.each(["shop", "shop@", "@kauke.test", "shop@example.org", "shop@kauke", "a@b", "Shop <shop>", "", "two words"])(
    "%j stays as it is",
    (text) => expect(readName(text, domains)).toEqual({ alias: text }),
  );
});

describe("readDestinations", () => {
  test.each([
    ["Ann <ann@example.org>", "ann@example.org"],
    ["ann@example.org; bob@example.org;", "ann@example.org, bob@example.org"],
    ["ann@example.org bob@example.org", "ann@example.org, bob@example.org"],
    ["ann@example.org\r\nbob@example.org\n", "ann@example.org, bob@example.org"],
    ["ann@example.org,,", "ann@example.org"],
    ["mailto:ann@example.org?subject=Hi", "ann@example.org"],
    ["mailto:ann%2Bshop@example.org", "ann+shop@example.org"],
    ['"Doe, Ann" <ann@example.org>, Bob <bob@example.org>', "ann@example.org, bob@example.org"],
    ["Ann <ann@example.org> Bob <bob@example.org>", "ann@example.org, bob@example.org"],
    ["ann@example.org, Ann <ANN@example.org>", "ann@example.org"],
    ["\u200bann@example.org\u00a0", "ann@example.org"],
    ["(ann@example.org).", "ann@example.org"],
    ["https://hooks.example.org/x;y=1; ann@example.org", "https://hooks.example.org/x;y=1, ann@example.org"],
    ["ann@example.org; nobody", "ann@example.org, nobody"],
    ["Ann <ann@example.org>; nobody", "ann@example.org, nobody"],
  ])("the destinations %j are read as %j", (text, read) => expect(readDestinations(text)).toBe(read));

  test.each(["", "nobody", "null", "Ann ann@example.org", "ftp://hooks.example.org/x", "ann@", "a@b"])(
    "%j, which can't be read, is kept",
    (text) => expect(readDestinations(text)).toBe(text),
  );

  const mailbox = fc
    .tuple(fc.stringMatching(/^[a-z][a-z0-9+_-]{0,8}$/), fc.stringMatching(/^[a-z]{1,8}\.[a-z]{2,4}$/))
    .map(([local, domain]) => `${local}@${domain}`);
  const webhook = fc.stringMatching(/^[a-z0-9/;=?&-]{0,12}$/).map((path) => `https://hooks.example.org/${path}`);
  const dressed = (address: string) =>
    fc.constantFrom(
      address,
      `Ann Doe <${address}>`,
      `"Doe, Ann" <${address}>`,
      `mailto:${address}`,
      `<${address}>`,
      ` ${address} `,
    );

  test("a destination text that the API accepts is never changed", () => {
    const valid = fc.array(fc.oneof(mailbox, webhook), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(valid, fc.constantFrom(",", ", ", " , "), (entries, comma) => {
        const text = entries.join(comma);
        expect(parseForwardTo(text)).not.toBeNull();
        expect(readDestinations(text)).toBe(text);
      }),
    );
  });

  test("mailboxes are read from any mixture of forms and separators; other entries stay in their places", () => {
    const entry = fc.oneof({ weight: 3, arbitrary: mailbox }, fc.constantFrom("nobody", "ann@"));
    const written = (all: string[]) => all.map((one) => (isMailbox(one) ? dressed(one) : fc.constant(one)));
    const separator = fc.constantFrom(",", ";", "\n", "; ", ",\r\n", ", ");
    const list = fc
      .uniqueArray(entry, { minLength: 1, maxLength: 5 })
      .chain((all) =>
        fc.tuple(fc.constant(all), fc.tuple(...written(all)), fc.array(separator, { minLength: 5, maxLength: 5 })),
      );
    fc.assert(
      fc.property(list, ([all, parts, separators]) => {
        const text = parts.map((part, at) => `${part}${separators[at]}`).join("");
        expect(entriesOf(readDestinations(text))).toEqual(all);
      }),
    );
  });

  test("reading a text twice gives the same as reading it once, and no destination is invented", () => {
    const piece = fc.oneof(mailbox, webhook, fc.constantFrom("<", ">", ",", ";", " ", "\n", "mailto:", "nobody", "@"));
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const text = pieces.join("");
        const read = readDestinations(text);
        expect(readDestinations(read)).toBe(read);
        for (const entry of entriesOf(read)) if (isMailbox(entry) || isWebhookUrl(entry)) expect(text).toContain(entry);
      }),
    );
  });
});

describe("wrongDestinations", () => {
  test("reports each invalid destination with the reason", () => {
    expect(
      wrongDestinations(["ann@example.org", "nobody", "hooks.example.org/x", "ann@", "ftp://a.example/x"]),
    ).toEqual([
      "“nobody” is neither an e-mail address nor a webhook.",
      "“hooks.example.org/x” needs https:// in front to be a webhook.",
      "“ann@” is not a complete e-mail address.",
      "“ftp://a.example/x” is not a web address that starts with http or https.",
    ]);
  });

  test("reports nothing for valid destinations and for an empty text", () => {
    expect(wrongDestinations(["ann@example.org", "https://hooks.example.org/x"])).toEqual([]);
  });
});

describe("changing one destination", () => {
  test("a toggled destination is added at the end or removed, whatever its letter case", () => {
    expect(toggleDestination("", "ann@example.org")).toBe("ann@example.org");
    expect(toggleDestination("bob@example.org;", "ann@example.org")).toBe("bob@example.org, ann@example.org");
    expect(toggleDestination("ANN@example.org, bob@example.org", "ann@example.org")).toBe("bob@example.org");
    expect(hasDestination(["ANN@example.org"], "ann@example.org")).toBe(true);
    expect(hasDestination(["annie@example.org"], "ann@example.org")).toBe(false);
  });

  test("toggling a destination twice changes only how the text is written", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.constantFrom("a@x.org", "b@x.org", "https://x.org/h")), (entries) => {
        const text = entries.join(", ");
        expect(toggleDestination(toggleDestination(text, "new@x.org"), "new@x.org")).toBe(text);
      }),
    );
  });

  test("a replaced destination keeps its position in the list", () => {
    expect(replaceDestination("a@x.org,jonas@gmial.com , b@x.org", "jonas@gmial.com", "jonas@gmail.com")).toBe(
      "a@x.org, jonas@gmail.com, b@x.org",
    );
  });
});

describe("splitTyping", () => {
  test("what is being typed is no token yet", () => {
    expect(splitTyping("ann@example.org, bo", "bo")).toEqual({ tokens: ["ann@example.org"], typing: "bo" });
    expect(splitTyping("bo", "bo")).toEqual({ tokens: [], typing: "bo" });
  });

  test("a text that was set by something else is all tokens", () => {
    expect(splitTyping("ann@example.org, bob@example.org", "")).toEqual({
      tokens: ["ann@example.org", "bob@example.org"],
      typing: "",
    });
    expect(splitTyping("ann@example.org", "bo")).toEqual({ tokens: ["ann@example.org"], typing: "" });
  });

  test("a destination that is there twice is one token", () => {
    expect(splitTyping("ann@example.org, ann@example.org", "").tokens).toEqual(["ann@example.org"]);
  });
});

test("a paste replaces the selection and keeps its line ends", () => {
  expect(pastedInto({ value: "a-b-c", selectionStart: 2, selectionEnd: 3 }, "x\ny")).toBe("a-x\ny-c");
  expect(pastedInto({ value: "a", selectionStart: null, selectionEnd: null }, "b")).toBe("ab");
});
