import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { call } from "./client.ts";
import { isSessionLost, markSignedIn } from "./session/lost-session.ts";

beforeEach(() => {
  markSignedIn();
  const refuse = async () => Response.json({ error: "Unauthorized", message: "Not signed in" }, { status: 401 });
  vi.stubGlobal("fetch", refuse);
});
afterEach(() => vi.unstubAllGlobals());

test("a 401 response to a call that needs a session marks the session as lost", async () => {
  await expect(call("listNotices")).rejects.toThrow();
  expect(isSessionLost()).toBe(true);
});

test("a 401 response to a call that visitors make too does not mark the session as lost", async () => {
  await expect(call("getSession")).rejects.toThrow();
  await expect(call("login", { body: { email: "ann@example.org", password: "wrong" } })).rejects.toThrow();
  expect(isSessionLost()).toBe(false);
});

test("a 401 response to a request sent before the last sign-in or sign-out does not mark the session as lost", async () => {
  const refused = expect(call("listSessions")).rejects.toThrow();
  markSignedIn();
  await refused;
  expect(isSessionLost()).toBe(false);
});
