import { type EndpointName, endpoints } from "@kauke/contract";
import { expect, test } from "vitest";
import { fillPath, openToAnyone, routes } from "./routes.ts";

test("each call has the method and path that the contract gives it", () => {
  const fromContract = Object.fromEntries(
    Object.entries(endpoints).map(([name, endpoint]) => [name, `${endpoint.method} ${endpoint.path}`]),
  );
  expect(routes).toEqual(fromContract);
});

test("`openToAnyone` names only endpoints that exist", () => {
  for (const name of openToAnyone) expect(endpoints[name satisfies EndpointName]).toBeDefined();
});

test("parameters are filled into a path and escaped", () => {
  expect(fillPath("/api/aliases/:aliasId/toggle", { aliasId: "a/b?c" })).toBe("/api/aliases/a%2Fb%3Fc/toggle");
  expect(fillPath("/api/domains")).toBe("/api/domains");
});
