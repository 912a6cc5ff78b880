import { expect, test } from "vitest";
import { adminEndpoints } from "./admin.ts";
import { adminRoutes } from "./admin-routes.ts";
import type { Endpoint } from "./endpoint.ts";
import { endpoints } from "./endpoints.ts";
import { fillPath } from "./first-routes.ts";
import { routes } from "./routes.ts";

test("every call's method and path are the contract's, and no two are the same", () => {
  const every = { ...endpoints, ...adminEndpoints };
  const calls = Object.values(every).map(({ method, path }) => `${method} ${path}`);
  const names = Object.keys({ ...routes, ...adminRoutes });
  expect(Object.keys(every)).toEqual(expect.arrayContaining(names));
  expect(new Set(calls).size).toBe(names.length);
});

test("an API key cannot sign in, manage sign-ins, keys and secrets, send, decrypt, export, import or add destinations", () => {
  const sessionOnly =
    /^(?!GET \/api\/auth\/session$)\w+ \/api\/(?:auth|keys|account\/(?!settings$|defaults$)|smtp-credentials|encryption-keys|email-(?:jobs|attachments)|contacts|decrypt|confirmation|notices|imports?)|webhook-secret|(?:POST|DELETE) \/api\/mailboxes|(?:PATCH|DELETE|POST|PUT) \/api\/account/;
  const byKey = Object.entries<Endpoint>(endpoints).filter(([, { scope }]) => scope !== undefined);
  expect(byKey.length).toBeGreaterThan(8);
  for (const [name, { method, path, access }] of byKey) {
    expect([name, sessionOnly.test(`${method} ${path}`), access]).toEqual([name, false, "user"]);
  }
  for (const name of ["listApiKeys", "exportAccount", "createEmailJob", "renewWebhookSecret", "deleteAccount"] as const)
    expect(sessionOnly.test(`${routes[name].method} ${routes[name].path}`)).toBe(true);
});

test("parameters are filled in and escaped", () => {
  expect(fillPath("/api/aliases/:aliasId/toggle", { aliasId: "a/b?c" })).toBe("/api/aliases/a%2Fb%3Fc/toggle");
  expect(fillPath("/api/domains")).toBe("/api/domains");
});
