import type { UserWire } from "@kauke/contract";
import { expect, test } from "vitest";
import { authMethodOf, clearSession, storeSession } from "./stored-session.ts";

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

function memory() {
  const map = new Map<string, string>();
  return {
    map,
    setItem: (key: string, value: string) => void map.set(key, value),
    removeItem: (key: string) => void map.delete(key),
  };
}

test("the method is e-mail if one is set, else wallet if an address is, else google", () => {
  expect(authMethodOf({ email: "a@example.org", walletAddress: "7x" })).toBe("email");
  expect(authMethodOf({ email: null, walletAddress: "7x" })).toBe("wallet");
  expect(authMethodOf({ email: null, walletAddress: null })).toBe("google");
});

test("a session stores user and method, the wallet only if there is one, and clearing leaves the theme", () => {
  const storage = memory();
  storage.setItem("theme", "dark");
  storeSession({ ...user, walletAddress: "7xKp" }, storage);
  expect([...storage.map.keys()].sort()).toEqual(["authMethod", "theme", "user", "walletAddress"]);
  storeSession(user, storage);
  expect(storage.map.has("walletAddress")).toBe(false);
  clearSession(storage);
  expect([...storage.map]).toEqual([["theme", "dark"]]);
});
