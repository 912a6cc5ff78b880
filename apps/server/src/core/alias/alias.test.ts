import { expect, it } from "vitest";
import { listDomains } from "./alias.ts";

it("the provider's two domains come first in their configured order, then the others alphabetically", () => {
  const configured = ["kauke.test", "aaa.test", "vejas.test", "rukas.test", "tyla.test"];
  expect(listDomains(configured)).toEqual(["kauke.test", "aaa.test", "rukas.test", "tyla.test", "vejas.test"]);
});

it("a server with one domain lists that domain", () => {
  expect(listDomains(["kauke.test"])).toEqual(["kauke.test"]);
});
