import { expect, test } from "vitest";
import { readQuery } from "./palette-query.ts";

test.each([
  ["pause sho", { verb: "pause", typed: "sho" }],
  ["  Copy  shop k7 ", { verb: "copy", typed: "shop k7" }],
  ["activate ", { verb: "activate", typed: "" }],
  ["copy", { verb: "open", typed: "copy" }],
  ["copycat x", { verb: "open", typed: "copycat x" }],
  ["", { verb: "open", typed: "" }],
])("the text %j is parsed as a verb and a search", (text, query) => {
  expect(readQuery(text)).toEqual(query);
});
