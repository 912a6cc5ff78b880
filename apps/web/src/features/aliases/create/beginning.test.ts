import { describe, expect, test } from "vitest";
import { beginningOf, rememberChoice } from "./beginning.ts";

const loaded = { domain: "kauke.test", forwardTo: "jonas@inbox.example" };

describe("what the form for a new alias starts with", () => {
  test("the account's mailbox, as soon as it is loaded", () => {
    expect(beginningOf("jonas", loaded, null)).toEqual(loaded);
  });

  test("a mailbox loaded after Forward to had the focus is not put into it", () => {
    expect(beginningOf("jonas", loaded, "")).toEqual({ domain: "kauke.test", forwardTo: "" });
  });

  test("the same user's last choice, whatever the field had before", () => {
    const last = { domain: "vejas.test", forwardTo: "https://hooks.example.org/x" };
    rememberChoice({ userId: "jonas", ...last });
    expect(beginningOf("jonas", loaded, "")).toEqual(last);
    expect(beginningOf("rasa", loaded, null)).toEqual(loaded);
  });
});
