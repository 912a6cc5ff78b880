import fc from "fast-check";
import { expect, test } from "vitest";
import { AuthExchange } from "./session-auth.ts";

const base64 = (text: string) => Buffer.from(text).toString("base64");
const credentials = { kind: "credentials", username: "shop@kauke.test", password: "pass word" };

test("PLAIN credentials are read with and without an initial response", () => {
  const response = base64("\0shop@kauke.test\0pass word");
  expect(new AuthExchange("PLAIN").begin(response)).toEqual(credentials);
  const exchange = new AuthExchange("PLAIN");
  expect(exchange.begin(null)).toEqual({ kind: "challenge", text: "" });
  expect(exchange.next(response)).toEqual(credentials);
});

test("LOGIN asks for the name, then for the password", () => {
  const exchange = new AuthExchange("LOGIN");
  expect(exchange.begin(null)).toEqual({ kind: "challenge", text: base64("Username:") });
  expect(exchange.next(base64("shop@kauke.test"))).toEqual({ kind: "challenge", text: base64("Password:") });
  expect(exchange.next(base64("pass word"))).toEqual(credentials);
});

test("an asterisk cancels; a foreign authorization id and invalid base64 are malformed", () => {
  expect(new AuthExchange("PLAIN").begin("*")).toEqual({ kind: "cancelled" });
  expect(new AuthExchange("PLAIN").begin(base64("boss\0shop\0pw"))).toEqual({ kind: "malformed" });
  expect(new AuthExchange("PLAIN").begin(base64("shop\0pw"))).toEqual({ kind: "malformed" });
  expect(new AuthExchange("LOGIN").begin("no base64!")).toEqual({ kind: "malformed" });
});

test("any input leads to a step and never throws", () => {
  fc.assert(
    fc.property(
      fc.constantFrom("PLAIN" as const, "LOGIN" as const),
      fc.array(fc.string(), { maxLength: 5 }),
      (mechanism, lines) => {
        const exchange = new AuthExchange(mechanism);
        for (const line of lines)
          expect(exchange.next(line).kind).toMatch(/^(challenge|credentials|cancelled|malformed)$/);
      },
    ),
  );
});
