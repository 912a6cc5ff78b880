import { describe, expect, test } from "vitest";
import { forwardingTexts } from "./forwarding-texts.ts";

const ours = Object.entries(forwardingTexts(null));
const theirs = Object.entries(forwardingTexts("Some Provider"));

test("no sentence of our engine is part of another, so that each can be replaced in a page", () => {
  for (const [name, text] of ours) {
    const containing = ours.filter(([, other]) => other.includes(text)).map(([other]) => other);
    expect(containing).toEqual([name]);
  }
});

describe("the provider's sentences", () => {
  test("contain none of our engine's but the one they replace, so that nothing is replaced twice", () => {
    for (const [name, text] of theirs) {
      const others = ours.filter(([other, own]) => other !== name && text.includes(own));
      expect(others).toEqual([]);
    }
  });

  test("promise nothing that needs our engine", () => {
    for (const [name, text] of theirs) {
      if (/need Kauke's own engine/.test(text)) continue;
      expect(text, name).not.toMatch(/our own engine|Standard Webhooks|a relay|encrypted to your key/);
    }
  });

  test("say what the provider sees, and what it does not", () => {
    for (const name of ["privacyOthers", "transparencyForwarding"] as const) {
      const text = forwardingTexts("Some Provider")[name];
      for (const seen of ["aliases' addresses", "where they forward to", "the messages", "network addresses", "SMTP"])
        expect(text).toContain(seen);
      expect(text).toContain("no password of your account");
    }
  });
});
