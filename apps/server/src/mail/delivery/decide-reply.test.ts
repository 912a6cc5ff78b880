import { expect, test } from "vitest";
import { type AliasResult, aliasState, type DestinationState, decideReply } from "./decide-reply.ts";

const failure = { code: "try_later", enhancedStatus: "4.7.1" } as const;
const taken: DestinationState = { kind: "taken" };
const deferred: DestinationState = { kind: "deferred", failure };
const refused: DestinationState = { kind: "refused", failure };
const running: DestinationState = { kind: "running" };
const alias = (...destinations: DestinationState[]): AliasResult => ({ destinations });

test("an alias is taken when one destination took it, open when one still may, refused when all gave 5xx", () => {
  expect(aliasState([refused, taken, deferred])).toBe("taken");
  expect(aliasState([refused, deferred])).toBe("open");
  expect(aliasState([running])).toBe("open");
  expect(aliasState([refused, refused])).toBe("refused");
});

test("nothing is stored when every destination took the message", () => {
  expect(decideReply([alias(taken), alias(taken, taken)], false)).toEqual({ kind: "done" });
});

test("a message is stored when one destination took it and another is open", () => {
  expect(decideReply([alias(taken, deferred)], false)).toEqual({ kind: "enqueue" });
  expect(decideReply([alias(taken), alias(running)], false)).toEqual({ kind: "enqueue" });
});

test("the message is rejected only when every alias refused it", () => {
  expect(decideReply([alias(refused), alias(refused, refused)], false)).toEqual({
    kind: "reject",
    code: "refused_by_all",
  });
  expect(decideReply([alias(refused), alias(taken)], false)).toEqual({ kind: "done" });
  expect(decideReply([alias(refused), alias(deferred)], false)).toEqual({ kind: "enqueue" });
  expect(decideReply([alias(refused)], true)).toEqual({ kind: "done" });
});

test("a message that only loops is rejected as a mail loop", () => {
  expect(decideReply([{ destinations: [], refusedAs: "mail_loop" }], false)).toEqual({
    kind: "reject",
    code: "mail_loop",
  });
});

test("a transaction with only paused aliases is accepted without anything to store", () => {
  expect(decideReply([], true)).toEqual({ kind: "done" });
});
