import { expect, test } from "vitest";
import { ApiError } from "../../api/api-error.ts";
import { isOutdated, passwordFailureText, passwordOf, secretFailure } from "./use-secret.ts";

const refused = (status: number, change: object = {}) => new ApiError({ status, message: "Not possible.", ...change });

test("a refusal is shown as the specification's sentence under the title Error", () => {
  const text = "Failed to regenerate password";
  for (const error of [refused(404), refused(500), refused(0), new TypeError("x")])
    expect(secretFailure(error, text)).toEqual(["Error", text]);
});

test("a rate limit's message says when to try again", () => {
  const now = new Date("2026-03-05T10:00:00");
  const resetTime = new Date("2026-03-05T14:30:00").toISOString();
  const limited = refused(429, { rateLimited: true, resetTime });
  expect(secretFailure(limited, "x", now)).toEqual(["Rate Limit Exceeded", "Not possible. Try again after 14:30"]);
  expect(secretFailure(refused(429, { rateLimited: true }), "x")).toEqual(["Rate Limit Exceeded", "Not possible."]);
});

test("404 and 409 mean that the list is outdated", () => {
  expect([404, 409, 400, 429, 500, 0].filter((status) => isOutdated(refused(status)))).toEqual([404, 409]);
});

const response = (body: string, type = "application/json; charset=utf-8") =>
  new Response(body, { headers: { "content-type": type } });

test("the password is read from a successful response", async () => {
  expect(await passwordOf(response('{"success":true,"password":"vq4T-9mZe"}'))).toBe("vq4T-9mZe");
});

test.each([
  ["a page instead of JSON", response("<html>", "text/html")],
  ["a page with the content type of JSON", response("<html>")],
  ["a similar content type", response("{}", "text/jsonp")],
  ["no content type", new Response(new Uint8Array([123, 125]))],
])("%s is not JSON", async (_, response) => {
  await expect(passwordOf(response)).rejects.toThrow("Server returned non-JSON response");
});

test.each([
  "{}",
  "null",
  "[]",
  '"x"',
  '{"success":true}',
  '{"success":true,"password":""}',
  '{"success":false,"password":"x"}',
])("%s contains no password", async (body) => {
  await expect(passwordOf(response(body))).rejects.toThrow("No password found or invalid response");
});

test("a failure is reported with the specification's text", async () => {
  const failure = await passwordOf(response("{}")).catch((error) => error);
  expect(passwordFailureText(failure)).toBe("No password found or invalid response");
  expect(passwordFailureText(new ApiError({ status: 404, message: "Not found" }))).toBe(
    "Failed to fetch password: 404",
  );
  expect(passwordFailureText(new ApiError({ status: 0, message: "offline" }))).toBe("Failed to fetch password");
  expect(passwordFailureText(new TypeError("x"))).toBe("Failed to fetch password");
});
