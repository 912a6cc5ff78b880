import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { bulkAliasBody } from "./alias-bulk.ts";
import { limits } from "./limits.ts";

const id = randomUUID();
const label = randomUUID();
const isValid = (change: unknown, aliasIds: unknown = [id]) => bulkAliasBody.safeParse({ aliasIds, change }).success;

test.each([
  { active: false },
  { addLabel: label },
  { removeLabel: label },
  { addLabel: label, removeLabel: randomUUID() },
  { forwardTo: "ann@example.org, https://hooks.example.org/in" },
  { pinned: true },
  { delete: true },
  { delete: true, inSeconds: 1 },
  { delete: true, inSeconds: 60 },
  { keep: true },
])("a bulk change of one kind is accepted: %j", (change) => {
  expect(isValid(change)).toBe(true);
});

test.each([
  {},
  { active: false, pinned: true },
  { delete: true, active: false },
  { delete: false },
  { keep: false },
  { keep: true, delete: true },
  { inSeconds: 10 },
  { keep: true, inSeconds: 10 },
  { delete: true, inSeconds: 0 },
  { delete: true, inSeconds: 61 },
  { delete: true, inSeconds: 1.5 },
  { delete: true, inSeconds: "10" },
  { addLabel: "no id" },
  { forwardTo: "nobody" },
  { forwardTo: "" },
  { name: "x" },
  { active: "no" },
  null,
])("a bulk change of no kind or several kinds, or with wrong fields or values, is refused: %j", (change) => {
  expect(isValid(change)).toBe(false);
});

test("a bulk change takes as many ids as the largest account has, and no more", () => {
  const ids = Array.from({ length: limits.aliasesMax }, () => randomUUID());
  expect(isValid({ delete: true }, ids)).toBe(true);
  expect(isValid({ delete: true }, [...ids, randomUUID()])).toBe(false);
  expect(isValid({ delete: true }, [])).toBe(false);
  expect(isValid({ delete: true }, ["x"])).toBe(false);
  const body = JSON.stringify({ aliasIds: ids, change: { forwardTo: "ą".repeat(limits.forwardToMax) } });
  expect(Buffer.byteLength(body)).toBeLessThan(limits.bulkBodyMaxBytes);
});

test("alias ids of a bulk change are accepted in any letter case", () => {
  expect(bulkAliasBody.parse({ aliasIds: [id.toUpperCase()], change: { pinned: false } }).aliasIds).toEqual([id]);
});
