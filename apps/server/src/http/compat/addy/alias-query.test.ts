import { describe, expect, it } from "vitest";
import { plainQuery, readAliasQuery, readPageQuery, readRecipientQuery } from "./alias-query.ts";

const parsed = (query: string) => Object.fromEntries(new URLSearchParams(query));

describe("names of a query", () => {
  it("are nested in PHP's notation, and text after the closing bracket is ignored", () => {
    expect(plainQuery(parsed("filter%5Bactive%5D%3D=true&filter[deleted]=with&page[size]=10&sort=-email"))).toEqual({
      "filter.active": "true",
      "filter.deleted": "with",
      "page.size": "10",
      sort: "-email",
    });
  });

  it("count with their last value if repeated, and as absent if empty", () => {
    expect(plainQuery({ sort: ["email", "-email"], "filter[active]": "", "filter[pinned]": ["true", ""] })).toEqual({
      sort: "-email",
    });
  });

  it("cannot change the prototype of an object", () => {
    const plain = plainQuery(parsed("__proto__=1&constructor[prototype]=2&[]=3&%00=4"));
    expect(Object.getPrototypeOf(plain)).toBe(Object.prototype);
  });
});

describe("the query of a list", () => {
  it("without parameters asks for the first hundred aliases, newest first", () => {
    expect(readAliasQuery({})).toEqual({
      page: { number: 1, size: 100 },
      isForNone: false,
      sort: { field: "created_at", isDescending: true },
    });
  });

  it("is parsed as the extension writes it", () => {
    const query =
      "filter[deleted]=without&filter[active]=false&filter[pinned]=&filter[search]=SHOP&sort=last_used&page[number]=3&page[size]=10";
    expect(readAliasQuery(parsed(query))).toEqual({
      page: { number: 3, size: 10 },
      isForNone: false,
      active: false,
      search: "shop",
      sort: { field: "last_used", isDescending: false },
    });
  });

  it.each(["filter[deleted]=only", "deleted=only", `domain=${crypto.randomUUID()}`, `username=${crypto.randomUUID()}`])(
    "%s asks for nothing that Kauke has",
    (query) => {
      expect(readAliasQuery(parsed(query)).isForNone).toBe(true);
    },
  );

  it.each([
    ["page[size]=0", "page.size"],
    ["page[size]=101", "page.size"],
    ["page[size]=1e2", "page.size"],
    ["page[number]=-1", "page.number"],
    ["page[number]=99999999999999999999", "page.number"],
    ["filter[active]=1", "filter.active"],
    ["filter[deleted]=all", "filter.deleted"],
    ["filter[search]=ab", "filter.search"],
    [`filter[search]=${"x".repeat(51)}`, "filter.search"],
    ["sort=password", "sort"],
    ["sort=--email", "sort"],
    ["recipient=1", "recipient"],
  ])("%s is refused, with a message for %s", (query, field) => {
    expect(() => readAliasQuery(parsed(query))).toThrow(
      expect.objectContaining({
        code: "invalid",
        details: expect.objectContaining({ errors: { [field]: [expect.any(String)] } }),
      }),
    );
  });
});

it("the pages of other lists and the filters of recipients are parsed alike", () => {
  expect(readPageQuery(parsed("page%5Bsize%5D=25&filter%5Bemail_type%5D=inbound"))).toEqual({ number: 1, size: 25 });
  expect(readRecipientQuery(parsed("filter[verified]=true&alias_count=false"))).toEqual({
    isVerified: true,
    isCounted: true,
  });
  expect(readRecipientQuery(parsed("filter[alias_count]=false"))).toEqual({ isCounted: false });
});
