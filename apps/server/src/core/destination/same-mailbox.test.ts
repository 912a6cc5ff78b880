import { describe, expect, it } from "vitest";
import { sameMailbox, untaggedMailbox } from "./same-mailbox.ts";

describe("one mailbox", () => {
  it.each([
    ["Ann@Example.ORG", "ann@example.org"],
    ["ann+shop@example.org", "ann@example.org"],
    ["ann+shop+2@example.org", "ann@example.org"],
    ["ann@BÜCHER.example", "ann@xn--bcher-kva.example"],
    ["ann@xn--bcher-kva.example", "ann@xn--bcher-kva.example"],
    ["A.n.n+shop@googlemail.com", "ann@gmail.com"],
    ["jose\u0301@example.org", "jos\u00e9@example.org"],
  ])("%s is %s", (address, same) => {
    expect(sameMailbox(address)).toBe(same);
  });

  it.each([
    ["a local part that only begins with a plus", "+ann@example.org", "+bob@example.org"],
    ["dots", "a.nn@example.org", "ann@example.org"],
    ["another domain", "ann@example.org", "ann@example.net"],
  ])("%s make another", (_, one, other) => {
    expect(sameMailbox(one)).not.toBe(sameMailbox(other));
  });

  it("is written to without what a stranger put into the tag", () => {
    expect(untaggedMailbox("Ann+visit-evil.example@Example.ORG")).toBe("Ann@example.org");
  });
});
