import { describe, expect, it, test } from "vitest";
import { letterAddresses, namesOf, noRecipients, parseRecipients, settled, withEntries } from "./recipients.ts";

const to = (text: string) => settled({ ...noRecipients, text });

describe("a typed or pasted list of recipients", () => {
  it.each([
    ["ann@example.org, bob@example.org", ["ann@example.org", "bob@example.org"]],
    ["ann@example.org;bob@example.org\n carl@example.org ", ["ann@example.org", "bob@example.org", "carl@example.org"]],
    ['"Ann, the first" <ann@example.org>, Bob <bob@example.org>', ["ann@example.org", "bob@example.org"]],
    [" ,; ", []],
  ])("%j has one entry per address", (text, addresses) => {
    expect(parseRecipients(text).map(({ address }) => address)).toEqual(addresses);
  });

  it("has the name that stands before an address", () => {
    expect(parseRecipients('"Ann, the first" <ann@example.org>')).toEqual([
      { name: "Ann, the first", address: "ann@example.org" },
    ]);
  });
});

describe("the text of an address field", () => {
  it("becomes a recipient once it is an address", () => {
    expect(to(" ann@example.org ")).toEqual({ entries: [{ name: "", address: "ann@example.org" }], text: "" });
    expect(to("  ")).toEqual(noRecipients);
  });

  it("stays text while it is no address", () => expect(to("ann@").text).toBe("ann@"));

  it("becomes entries that are marked if one of several is no address", () => {
    expect(to("ann@, bob@example.org").entries.map(({ address }) => address)).toEqual(["ann@", "bob@example.org"]);
  });
});

test("each address is a recipient once, whatever its field and its case", () => {
  const field = withEntries(to("ann@example.org"), parseRecipients("ANN@example.org, bob@example.org"));
  expect(field.entries).toHaveLength(2);
  expect(letterAddresses({ to: field, cc: to("bob@example.org"), bcc: to("carl@example.org") })).toEqual([
    "ann@example.org",
    "bob@example.org",
    "carl@example.org",
  ]);
});

test("several recipients are named shortly", () => {
  expect(namesOf(["a@x.org"])).toBe("a@x.org");
  expect(namesOf(["a@x.org", "b@x.org"])).toBe("a@x.org and b@x.org");
  expect(namesOf(["a@x.org", "b@x.org", "c@x.org"])).toBe("a@x.org and 2 more");
});
