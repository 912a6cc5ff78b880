import { describe, expect, it } from "vitest";
import { isMailboxOf, sameMailbox, spellingOfMailbox, untaggedMailbox } from "./same-mailbox.ts";

describe("spellings of one mailbox", () => {
  it.each([
    ["Ann@Example.ORG", "ann@example.org"],
    ["ann+shop@example.org", "ann@example.org"],
    ["ann+shop+2@example.org", "ann@example.org"],
    ["ann@BÜCHER.example", "ann@xn--bcher-kva.example"],
    ["ann@xn--bcher-kva.example", "ann@xn--bcher-kva.example"],
    ["A.n.n+shop@googlemail.com", "ann@gmail.com"],
    ["jose\u0301@example.org", "jos\u00e9@example.org"],
  ])("%s is compared as %s", (address, same) => {
    expect(sameMailbox(address)).toBe(same);
  });

  it.each([
    ["a local part that only begins with a plus", "+ann@example.org", "+bob@example.org"],
    ["dots", "a.nn@example.org", "ann@example.org"],
    ["another domain", "ann@example.org", "ann@example.net"],
  ])("a different mailbox: %s", (_, one, other) => {
    expect(sameMailbox(one)).not.toBe(sameMailbox(other));
  });

  it.each([
    ["ann@example.org", "Ann@Example.ORG", true],
    ["ann@example.org", "ann+shop@example.org", true],
    ["Ann+Shop@example.org", "ann+shop@example.org", true],
    ["ann+x@example.org", "ann@example.org", false],
    ["ann+x@example.org", "ann+shop@example.org", false],
    ["ann@example.net", "ann+shop@example.org", false],
    ["+x@example.org", "+shop@example.org", false],
    ["a.nn+x@gmail.com", "ann@googlemail.com", true],
    ["bob@gmail.com", "ann@gmail.com", false],
  ])("%s is the owner of %s: %s", (author, destination, isOwner) => {
    expect(isMailboxOf(author, destination)).toBe(isOwner);
  });

  it.each([
    ["Ann@Example.ORG", "ann@example.org"],
    ["ann+x@example.org", "other spellings of ann@example.org"],
    ["ann+y@example.org", "other spellings of ann@example.org"],
    ["a.nn@googlemail.com", "other spellings of ann@gmail.com"],
    ["ann@gmail.com", "ann@gmail.com"],
  ])("a limit counts %s as %s", (address, counted) => {
    expect(spellingOfMailbox(address)).toBe(counted);
  });

  it("the address for header fields keeps its spelling but loses the plus tag", () => {
    expect(untaggedMailbox("Ann+visit-evil.example@Example.ORG")).toBe("Ann@example.org");
  });
});
