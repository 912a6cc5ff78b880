import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { createAliasBody } from "./alias.ts";
import { changeLabelBody, createLabelBody, labelIds, labelMessages, sameLabelName } from "./labels.ts";

const messageOf = (body: unknown) => createLabelBody.safeParse(body).error?.issues[0]?.message;

test("a label's name is trimmed and has 1 to 40 characters, none of them invisible", () => {
  expect(createLabelBody.parse({ name: "  Parduotuvės ", colour: "teal" })).toEqual({
    name: "Parduotuvės",
    colour: "teal",
  });
  expect(createLabelBody.safeParse({ name: "x".repeat(40), colour: "red" }).success).toBe(true);
  expect(messageOf({ name: "x".repeat(41), colour: "red" })).toBe(labelMessages.nameLength);
  expect(messageOf({ name: " ", colour: "red" })).toBe(labelMessages.nameRequired);
  for (const name of ["two\nlines", "a\u200bb", "\u202eabc", "a\u0000"])
    expect(messageOf({ name, colour: "red" })).toBe(labelMessages.nameFormat);
});

test("a label's colour is one of the eight names", () => {
  expect(messageOf({ name: "shops", colour: "#ff0000" })).toBe(labelMessages.colour);
});

test("a change of a label needs at least one field", () => {
  expect(changeLabelBody.safeParse({}).success).toBe(false);
  expect(changeLabelBody.safeParse({ colour: "blue" }).success).toBe(true);
});

test("labels' names that differ only in case or Unicode form are equal", () => {
  expect(sameLabelName("Žalia")).toBe(sameLabelName("žalia".normalize("NFD")));
});

test("an alias has at most ten labels, each once", () => {
  const ids = Array.from({ length: 11 }, () => randomUUID());
  expect(labelIds.safeParse(ids).success).toBe(false);
  expect(labelIds.parse([ids[0], ids[0]?.toUpperCase()])).toEqual([ids[0]]);
  const alias = { alias: "fine", domain: "kauke.test", forwardTo: "ann@example.org" };
  expect(createAliasBody.safeParse({ ...alias, labels: ids }).success).toBe(false);
});
