import { expect, test } from "vitest";
import { endpoints } from "./endpoints.ts";
import { fillPath, routes } from "./routes.ts";

test("every call's method and path are the contract's, and no two are the same", () => {
  const calls = Object.values(endpoints).map(({ method, path }) => `${method} ${path}`);
  expect(Object.keys(endpoints)).toEqual(expect.arrayContaining(Object.keys(routes)));
  expect(new Set(calls).size).toBe(Object.keys(routes).length);
});

test("parameters are filled in and escaped", () => {
  expect(fillPath("/api/aliases/:aliasId/toggle", { aliasId: "a/b?c" })).toBe("/api/aliases/a%2Fb%3Fc/toggle");
  expect(fillPath("/api/domains")).toBe("/api/domains");
});
