import { expect, test } from "vitest";
import { passwordMismatch, refusalToast, registerForm } from "./password-form.ts";

const good = { email: "jonas@example.org", password: "correct horse", confirmPassword: "correct horse" };

function issues(form: Record<string, string>): Record<string, string> {
  const result = registerForm.safeParse(form);
  return result.success
    ? {}
    : Object.fromEntries(result.error.issues.map((issue) => [issue.path.join("."), issue.message]));
}

test("a complete form is accepted", () => {
  expect(issues(good)).toEqual({});
});

test("differing passwords are refused at the confirmation field, even if the first one is too short", () => {
  expect(issues({ ...good, confirmPassword: "wrong horse" })).toEqual({ confirmPassword: passwordMismatch });
  expect(issues({ ...good, password: "short" })).toEqual({
    password: "Password must be at least 8 characters",
    confirmPassword: passwordMismatch,
  });
});

test("an invalid e-mail is refused", () => {
  expect(issues({ ...good, email: "jonas" })).toEqual({ email: "Valid email address is required" });
});

test("the toast names a mismatch before a short password, and is absent for other errors", () => {
  const short = { message: "Password must be at least 8 characters" };
  expect(refusalToast({ password: short, confirmPassword: { message: passwordMismatch } })?.title).toBe(
    "Password Mismatch",
  );
  expect(refusalToast({ password: short })?.title).toBe("Password Too Short");
  expect(refusalToast({ password: { message: "Password is required" } })).toBeNull();
  expect(refusalToast({})).toBeNull();
});
