import { expect, test } from "vitest";
import { drawnScreens, pageDescription, pageTitle, readConfirmationPath, screenFor } from "./screens.ts";

test("the front page is the dashboard for signed-in users and the landing page for others", () => {
  expect(screenFor("/", true)).toBe("dashboard");
  expect(screenFor("/", false)).toBe("landing");
  expect(screenFor("/home", true)).toBe("landing");
});

test("protected paths show the sign-in form to signed-out visitors", () => {
  for (const path of ["/dashboard", "/settings", "/compose", "/decrypt"]) {
    expect(screenFor(path, false)).toBe("auth");
    expect(screenFor(path, true)).toBe(path.slice(1));
  }
});

test("groups of settings are pages, and other names are none", () => {
  expect(screenFor("/settings/mail", true)).toBe("settings");
  expect(screenFor("/Settings/Data/", false)).toBe("auth");
  expect(screenFor("/settings/nothing", true)).toBe("not-found");
});

test("the admin page is found by admins only; whoever is signed out may be one", () => {
  expect(screenFor("/admin", true, true)).toBe("admin");
  expect(screenFor("/admin", true)).toBe("not-found");
  expect(screenFor("/admin", false)).toBe("auth");
});

test("the sign-in forms are shown to signed-in users too", () => {
  expect(screenFor("/auth", true)).toBe("auth");
  expect(screenFor("/register", true)).toBe("register");
});

test("paths match in any case and with a trailing slash", () => {
  expect(screenFor("/DashBoard", true)).toBe("dashboard");
  expect(screenFor("/register/", false)).toBe("register");
  expect(screenFor("/About//", false)).toBe("about");
});

test("confirmation links lead to their page, signed in or not", () => {
  for (const end of ["", "/", "/not-mine"])
    for (const signedIn of [true, false])
      expect(screenFor(`/confirm/${"a".repeat(32)}${end}`, signedIn)).toBe("confirm");
});

test("any other path is not found, including the names of Object.prototype's properties", () => {
  for (const path of ["/nowhere", "/dashboard/x", "/__proto__", "/constructor", "/home/auth"])
    expect(screenFor(path, true)).toBe("not-found");
});

test("the password reset and links about an account are open to everybody", () => {
  for (const signedIn of [true, false]) {
    expect(screenFor("/forgot", signedIn)).toBe("forgot");
    expect(screenFor("/Reset/", signedIn)).toBe("reset");
    expect(screenFor("/Sign-In-Link", signedIn)).toBe("sign-in-link");
    expect(screenFor("/confirm-email", signedIn)).toBe("confirm-email");
  }
});

test("a page's name precedes the product's, and the landing page's title says what the product is", () => {
  expect(pageTitle("privacy")).toBe("Privacy Policy — Kauke");
  expect(pageTitle("landing")).toBe("Kauke — private e-mail aliases");
  expect(pageTitle(null)).toBe(pageTitle("landing"));
});

test("every prerendered page except not-found has its own title and description, short enough to be shown whole", () => {
  const screens = drawnScreens.map(([screen]) => screen).filter((screen) => screen !== "not-found");
  expect(new Set(screens.map(pageTitle)).size).toBe(screens.length);
  expect(new Set(screens.map(pageDescription)).size).toBe(screens.length);
  for (const screen of screens) {
    expect(pageDescription(screen).length).toBeLessThanOrEqual(160);
    expect(pageDescription(screen).length).toBeGreaterThan(50);
  }
});

test("prerendered pages are those that signed-out visitors see at the same paths", () => {
  for (const [screen, path] of drawnScreens) expect(screenFor(path, false)).toBe(screen);
});

const token = "abcdefghijklmnopqrstuvwxyz234567";

test("both links of the confirmation message are recognized", () => {
  expect(readConfirmationPath(`/confirm/${token}`)).toEqual({ token, isNotMine: false });
  expect(readConfirmationPath(`/confirm/${token}/not-mine`)).toEqual({ token, isNotMine: true });
});

test("any other path is not a confirmation link", () => {
  for (const path of ["/confirm", "/confirm/abc", `/confirm/${token}/mine`, `/confirm/${token}1`, `/x/${token}`])
    expect(readConfirmationPath(path)).toBeNull();
});
