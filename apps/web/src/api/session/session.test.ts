import type { UserWire } from "@kauke/contract";
import { afterEach, expect, test, vi } from "vitest";
import { heldInvite, holdInvite } from "./held-invite.ts";
import {
  authMethodOf,
  checkSession,
  clearSession,
  forgetUser,
  leaveSession,
  readSession,
  storeSession,
} from "./session.ts";

afterEach(() => vi.unstubAllGlobals());

const user: UserWire = {
  id: "00000000-0000-4000-8000-000000000001",
  email: "jonas@example.org",
  walletAddress: null,
  authMethod: "email",
  firstName: null,
  lastName: null,
  profileImageUrl: null,
  balance: "0.00",
  createdAt: "2026-01-01T00:00:00.000Z",
  updatedAt: "2026-01-01T00:00:00.000Z",
};

function memory(entries: Record<string, string>) {
  const map = new Map(Object.entries(entries));
  return {
    map,
    getItem: (key: string) => map.get(key) ?? null,
    setItem: (key: string, value: string) => void map.set(key, value),
    removeItem: (key: string) => void map.delete(key),
  };
}

test("the sign-in method is email if the account has one, else wallet if it has one, else google", () => {
  expect(authMethodOf({ email: "a@example.org", walletAddress: "7x" })).toBe("email");
  expect(authMethodOf({ email: null, walletAddress: "7x" })).toBe("wallet");
  expect(authMethodOf({ email: null, walletAddress: null })).toBe("google");
});

const before = { theme: "dark", walletAddress: "old", user: "old", authMethod: "old", other: "not ours" };
const kept = { theme: "dark", other: "not ours" };
const shown = { email: "jonas@example.org", walletAddress: null, authMethod: "email", balance: "0.00" } as const;

test.each([
  { what: "an e-mail", given: {}, authMethod: "email" },
  { what: "an e-mail and a wallet", given: { walletAddress: "7xKp" }, authMethod: "email" },
  { what: "a wallet", given: { email: null, walletAddress: "7xKp", authMethod: "wallet" }, authMethod: "wallet" },
  { what: "neither", given: { email: null, authMethod: "google" }, authMethod: "google" },
] as const)("a session by $what stores exactly its entries", ({ given, authMethod }) => {
  const storage = memory(before);
  storeSession({ ...user, ...given }, storage);
  const stored = { ...shown, ...given };
  const wallet = stored.walletAddress === null ? {} : { walletAddress: stored.walletAddress };
  expect(Object.fromEntries(storage.map)).toEqual({ ...kept, ...wallet, user: JSON.stringify(stored), authMethod });
});

test("clearing removes the session's three entries and nothing else", () => {
  const storage = memory(before);
  clearSession(storage);
  expect(Object.fromEntries(storage.map)).toEqual(kept);
});

test.each([
  { outcome: "somebody is signed in, drops", status: 200, isDropped: true },
  { outcome: "nobody is, keeps", status: 401, isDropped: false },
])("a check that finds that $outcome the tab's invitation", async ({ status, isDropped }) => {
  const tab = memory({});
  vi.stubGlobal("sessionStorage", tab);
  vi.stubGlobal("localStorage", memory({}));
  vi.stubGlobal("fetch", async () =>
    Response.json(status === 200 ? { user } : { message: "Unauthorized" }, { status }),
  );
  holdInvite("a".repeat(32));
  expect(tab.map.size).toBe(1);
  await checkSession();
  expect(readSession().user === null).toBe(status === 401);
  expect([heldInvite() === null, tab.map.size === 0]).toEqual([isDropped, isDropped]);
});

test("another tab is told of a logout, but not that a page for everybody was left after a lost session", async () => {
  vi.stubGlobal("localStorage", memory({}));
  const other = new BroadcastChannel("session");
  const heard: unknown[] = [];
  other.onmessage = ({ data }) => heard.push(data);
  forgetUser();
  leaveSession();
  await vi.waitFor(() => expect(heard).not.toEqual([]));
  expect(heard).toEqual([{ kind: "signed-out", inactive: false, lost: false }]);
  other.close();
});
