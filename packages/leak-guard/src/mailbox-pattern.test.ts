import { expect, test } from "vitest";
import { findMailbox, mailboxPatterns } from "./mailbox-pattern.ts";

const isFound = (text: string, destination: string, boundary: "whole" | "within" = "whole") =>
  findMailbox(text, mailboxPatterns([destination]), boundary) !== null;

test.each([
  ["ann@example.org", "ann@example.org"],
  ["ann+news@example.org", "ann@example.org"],
  ["ann@example.org", "ann+shop@example.org"],
  ["ann+news@example.org", "Ann+Shop@Example.ORG"],
  ["a.n.n@gmail.com", "ann@gmail.com"],
  ["ann+x@googlemail.com", "a.nn+y@gmail.com"],
  ['"ann"@example.org', "ann@example.org"],
  ['"ann lee"@example.org', '"ann lee"@example.org'],
  ["ann@xn--ms-gua7a.example", "ann@mūsų.example"],
  ["ann@mūsų.example", "ann@xn--ms-gua7a.example"],
  ["bounce-7-ann=example.org@lists.example", "ann@example.org"],
  ["?mail=ann@example.org&x", "ann@example.org"],
])("%j names %j", (text, destination) => {
  expect(isFound(`to ${text}, yes`, destination)).toBe(true);
  expect(isFound(`to ${text}, yes`, `x${destination.replace(/^"/, '"x')}`.replace(/^x"/, '"'))).toBe(false);
});

test.each([
  ["joann@example.org", "ann@example.org"],
  ["jo.ann@example.org", "ann@example.org"],
  ["ann@example.org.example", "ann@example.org"],
  ["ann@mail.example.org", "ann@example.org"],
  ["a.nn@example.org", "ann@example.org"],
  ["annx+ann2@example.org", "ann@example.org"],
  ["joann=example.org@lists.example", "ann@example.org"],
  ["ann at example.org", "ann@example.org"],
])("%j is a different address than %j", (text, destination) => {
  expect(isFound(text, destination)).toBe(false);
});

test("within identifiers and binary data an address is found with other characters around it", () => {
  expect(isFound("0ann@example.org0", "ann@example.org")).toBe(false);
  expect(isFound("0ann@example.org0", "ann@example.org", "within")).toBe(true);
});

test("a destination that is not an address yields no pattern", () => {
  expect(mailboxPatterns(["", "@", "ann", "@example.org"])).toEqual([]);
});
