import { expect, test } from "vitest";
import { ApiError } from "../../api/api-error.ts";
import { passwordFailureText, passwordOf } from "./password-answer.ts";

const answer = (body: string, type = "application/json; charset=utf-8") =>
  new Response(body, { headers: { "content-type": type } });

test("the password is read from a successful response", async () => {
  expect(await passwordOf(answer('{"success":true,"password":"vq4T-9mZe"}'))).toBe("vq4T-9mZe");
});

test.each([
  ["a page instead of JSON", answer("<html>", "text/html")],
  ["a page with the content type of JSON", answer("<html>")],
  ["a similar content type", answer("{}", "text/jsonp")],
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
  await expect(passwordOf(answer(body))).rejects.toThrow("No password found or invalid response");
});

test("a failure is reported with the specification's text", async () => {
  const failure = await passwordOf(answer("{}")).catch((error) => error);
  expect(passwordFailureText(failure)).toBe("No password found or invalid response");
  expect(passwordFailureText(new ApiError({ status: 404, message: "Not found" }))).toBe(
    "Failed to fetch password: 404",
  );
  expect(passwordFailureText(new ApiError({ status: 0, message: "offline" }))).toBe("Failed to fetch password");
  expect(passwordFailureText(new TypeError("x"))).toBe("Failed to fetch password");
});
