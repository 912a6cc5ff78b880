import { type EndpointName, endpoints } from "@kauke/contract";
import { expect, test } from "vitest";
import { fillPath, openToAnyone, routes } from "./routes.ts";

test("every call's method and path are the contract's", () => {
  const fromContract = Object.fromEntries(
    Object.entries(endpoints).map(([name, it]) => [name, `${it.method} ${it.path}`]),
  );
  expect(routes).toEqual(fromContract);
});

test("calls whose 401 means nothing to an open page are real names", () => {
  for (const name of openToAnyone) expect(endpoints[name satisfies EndpointName]).toBeDefined();
});

test("parameters are filled in and escaped", () => {
  expect(fillPath("/api/aliases/:aliasId/toggle", { aliasId: "a/b?c" })).toBe("/api/aliases/a%2Fb%3Fc/toggle");
  expect(fillPath("/api/domains")).toBe("/api/domains");
});
