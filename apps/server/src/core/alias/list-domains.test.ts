import { expect, it } from "vitest";
import { listDomains } from "./list-domains.ts";

it("the provider's own two domains come first in their order, the rest by the alphabet", () => {
  const configured = ["kauke.test", "aaa.test", "vejas.test", "rukas.test", "tyla.test"];
  expect(listDomains(configured)).toEqual(["kauke.test", "aaa.test", "rukas.test", "tyla.test", "vejas.test"]);
});

it("a server with one domain lists one", () => {
  expect(listDomains(["kauke.test"])).toEqual(["kauke.test"]);
});
