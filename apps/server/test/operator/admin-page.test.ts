/** The admin page's calls in the whole server, alone and as one process of a group, which has no control socket. */
import { randomBytes } from "node:crypto";
import { registerPerson } from "@kauke/testkit/person";
import { startSystem } from "@kauke/testkit/system";
import { expect, test } from "vitest";

test.each([
  ["a server alone", {}],
  ["a process of a group", { member: { processes: 2, ticketKeys: randomBytes(48) } }],
])("%s serves the admin page's calls and records acts under the admin's account", async (_, overrides) => {
  const { url, server, close } = await startSystem({ overrides });
  try {
    const [admin, other] = [await registerPerson(url), await registerPerson(url)];
    expect((await admin.call("GET", "/api/admin/state")).status).toBe(404);
    await server.control["users-admin"]({ userId: admin.user.id, isAdmin: true });
    const { status, body } = await admin.call("GET", "/api/admin/state");
    expect([status, body]).toEqual([200, expect.objectContaining({ database: "embedded", delivery: "preview" })]);
    expect((await admin.call("DELETE", `/api/admin/accounts/${other.user.id}`)).status).toBe(200);
    expect((await other.call("GET", "/api/auth/session")).status).toBe(401);
    const acts = await admin.call("GET", "/api/admin/acts");
    expect(acts.body).toMatchObject({
      acts: [
        { by: admin.user.id, act: "account_deleted", on: other.user.id },
        { by: "command", act: "admin_granted", on: admin.user.id },
      ],
    });
    const page = await fetch(`${url}/admin`);
    expect([page.headers.get("content-security-policy"), page.headers.get("cache-control")]).toEqual([
      expect.stringContaining("default-src 'none'"),
      "no-cache",
    ]);
    const health = await admin.call("POST", "/api/admin/health");
    expect(health).toMatchObject({
      status: 200,
      body: { checks: expect.arrayContaining([expect.objectContaining({ check: "queue" })]) },
    });
  } finally {
    await close();
  }
});
