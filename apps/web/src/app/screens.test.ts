import { expect, test } from "vitest";
import { screenFor } from "./screens.ts";

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
