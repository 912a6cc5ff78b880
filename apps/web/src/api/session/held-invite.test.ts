import type { UserWire } from "@kauke/contract";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { inviteIn } from "./held-invite.ts";

const token = "abcdefghijklmnopqrstuvwxyz234567";

test.each([
  token,
  token.toUpperCase(),
  `  ${token}\n`,
  `${token.slice(0, 16)}\n${token.slice(16)}`,
  `#invite=${token}`,
  `/register#invite=${token}`,
  `https://kauke.example/register#invite=${token}`,
  `https://kauke.example/register#invite=\r\n ${token}`,
])("finds the token in %j", (text) => {
  expect(inviteIn(text)).toBe(token);
});

test.each([
  "",
  "#",
  token.slice(1),
  `${token}a`,
  `#${token}`,
  `https://kauke.example/register#invite=${token.slice(1)}`,
  `https://kauke.example/reset#${token}`,
  "0".repeat(32),
])("finds no token in %j", (text) => {
  expect(inviteIn(text)).toBeNull();
});

const address = { hash: "", pathname: "/register", search: "" };
const stored = new Map<string, string>();
let mode = "invite";
let isStorageOff = false;
const listeners = new Map<string, () => void>();

beforeEach(() => {
  vi.resetModules();
  stored.clear();
  [mode, isStorageOff, address.hash] = ["invite", false, ""];
  const replaceState = (_: unknown, __: string, url: string) => Object.assign(address, { hash: "", url });
  const addEventListener = (event: string, listener: () => void) => void listeners.set(event, listener);
  vi.stubGlobal("window", { location: address, history: { state: null, replaceState }, addEventListener });
  vi.stubGlobal("document", { querySelector: () => ({ content: mode }) });
  const allowed = () => {
    if (isStorageOff) throw new DOMException("off", "SecurityError");
  };
  vi.stubGlobal("sessionStorage", {
    getItem: (key: string) => (allowed(), stored.get(key) ?? null),
    setItem: (key: string, value: string) => (allowed(), void stored.set(key, value)),
    removeItem: (key: string) => (allowed(), void stored.delete(key)),
  });
});
afterEach(() => vi.unstubAllGlobals());

const load = () => import("./held-invite.ts");

test("the token moves from the address into the tab's storage, from which a reload reads it", async () => {
  address.hash = `#invite=${token}`;
  expect((await load()).heldInvite()).toBe(token);
  expect([address.hash, stored.get("invite")]).toEqual(["", token]);
  vi.resetModules();
  const again = await load();
  expect(again.heldInvite()).toBe(token);
  again.dropInvite();
  expect([again.heldInvite(), stored.size]).toEqual([null, 0]);
});

test("the form that begins a session keeps the token until it drops it; a session that is found drops it", async () => {
  address.hash = `#invite=${token}`;
  const { heldInvite } = await load();
  const { enterSession } = await import("./session.ts");
  vi.stubGlobal("localStorage", sessionStorage);
  vi.stubGlobal("fetch", async () => new Response(null, { status: 204 }));
  const user = { id: "1", email: "ann@people.example" } as UserWire;
  enterSession(user);
  expect(heldInvite()).toBe(token);
  stored.delete("invite");
  enterSession(user);
  expect(heldInvite()).toBeNull();
});

test("a second link in the same tab replaces the first", async () => {
  address.hash = `#invite=${token}`;
  const { heldInvite } = await load();
  address.hash = `#invite=${"b".repeat(32)}`;
  listeners.get("hashchange")?.();
  expect([heldInvite(), address.hash]).toEqual(["b".repeat(32), ""]);
});

test("a broken link leaves the address bar and is not held", async () => {
  address.hash = "#invite=abc";
  expect((await load()).heldInvite()).toBeNull();
  expect([address.hash, stored.size]).toEqual(["", 0]);
});

test("while registration is not by invitation, a token is removed from the address and not held", async () => {
  mode = "open";
  address.hash = `#invite=${token}`;
  expect((await load()).heldInvite()).toBeNull();
  expect([address.hash, stored.size]).toEqual(["", 0]);
});

test("without storage the tab holds the token until it is reloaded", async () => {
  isStorageOff = true;
  address.hash = `#invite=${token}`;
  const { heldInvite, dropInvite } = await load();
  expect(heldInvite()).toBe(token);
  dropInvite();
  expect(heldInvite()).toBeNull();
});
