import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type * as z from "zod";
import { authMessages, loginBody, registerBody } from "./auth.ts";

const lines = (name: string): string[] =>
  readFileSync(new URL(`../../../../test-vectors/addresses/${name}`, import.meta.url), "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("# "))
    .map((line) => line.split("\t")[0] ?? "");

function messagesOf(schema: z.ZodType, body: unknown): Record<string, string> {
  const found: Record<string, string> = {};
  for (const issue of schema.safeParse(body).error?.issues ?? []) found[issue.path.join(".")] ??= issue.message;
  return found;
}

const email = "ann@example.org";
const password = "correct horse";

describe("register", () => {
  it("accepts an e-mail and a password, trimming only the e-mail", () => {
    expect(registerBody.parse({ email: ` ${email} `, password: " eight ch " })).toEqual({
      email,
      password: " eight ch ",
    });
  });

  it.each([
    [{ email }, { password: "Password is required" }],
    [{ email, password: null }, { password: "Password is required" }],
    [{ email, password: "" }, { password: "Password must be at least 8 characters" }],
    [{ email, password: "seven77" }, { password: "Password must be at least 8 characters" }],
    [{ email, password: "a".repeat(129) }, { password: "Password must be 128 characters or less" }],
    [{ password }, { email: "Valid email address is required" }],
    [{ email: "", password }, { email: "Valid email address is required" }],
    [{ email: "ann", password }, { email: "Valid email address is required" }],
    [{ email: `${" ".repeat(2000)}${email}`, password }, { email: "Valid email address is required" }],
    [{}, { email: "Valid email address is required", password: "Password is required" }],
  ])("rejects %j with the right messages", (body, messages) => {
    expect(messagesOf(registerBody, body)).toEqual(messages);
  });

  it.each([8, 128])("accepts a password of %i characters", (length) => {
    expect(messagesOf(registerBody, { email, password: "p".repeat(length) })).toEqual({});
  });

  it("applies to the e-mail the rule for destination mailboxes", () => {
    for (const text of lines("mailboxes-valid.txt")) {
      expect(messagesOf(registerBody, { email: text, password })).toEqual({});
    }
    for (const line of lines("mailboxes-invalid.txt")) {
      const text = JSON.parse(line) as string;
      expect(messagesOf(registerBody, { email: text, password }), text).toEqual({
        email: "Valid email address is required",
      });
    }
  });
});

describe("login", () => {
  it("accepts a password shorter than today's minimum, so that accounts with older passwords can sign in", () => {
    expect(messagesOf(loginBody, { email, password: "x" })).toEqual({});
    expect(messagesOf(loginBody, { email, password: "" })).toEqual({ password: "Password is required" });
    expect(messagesOf(loginBody, { email })).toEqual({ password: "Password is required" });
  });

  it("answers a password longer than the maximum as a wrong password", () => {
    expect(messagesOf(loginBody, { email, password: "a".repeat(129) })).toEqual({ password: authMessages.loginFailed });
    expect(authMessages.loginFailed).toBe("Invalid email or password");
  });
});
