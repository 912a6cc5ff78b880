import { expect, test } from "vitest";
import { parseView } from "./stored-view.ts";

const first = { filter: "all", sort: "newest" };

test("a list's filter and order are read back as they were stored", () => {
  for (const view of [first, { filter: { label: "id" }, sort: "domain" }, { filter: "paused", sort: "name" }])
    expect(parseView(JSON.stringify(view))).toEqual(view);
});

test.each([null, "", "{", "[]", "null", '{"filter":"x","sort":1}', '{"filter":{"label":3}}'])(
  "what can't be read is the first view: %s",
  (text) => expect(parseView(text)).toEqual(first),
);
