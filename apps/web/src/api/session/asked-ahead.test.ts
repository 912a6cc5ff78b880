import { expect, test } from "vitest";
import { dropAhead, keepAhead, takeAhead } from "./asked-ahead.ts";

const answer = (text: string) => async () => new Response(text);

test("an answer asked for ahead is handed out once, to who asks for the same", async () => {
  keepAhead("/api/notices", answer("ahead"));
  expect(takeAhead("/api/domains")).toBe(undefined);
  expect(await (await takeAhead("/api/notices"))?.text()).toBe("ahead");
  expect(takeAhead("/api/notices")).toBe(undefined);
});

test("none is handed out once something has changed", () => {
  keepAhead("/api/notices", answer("before"));
  dropAhead();
  expect(takeAhead("/api/notices")).toBe(undefined);
});

test("a failure is told to who takes it, and to nobody if nobody does", async () => {
  const refuse = () => Promise.reject(new Error("no network"));
  keepAhead("/api/notices", refuse);
  await expect(takeAhead("/api/notices")).rejects.toThrow("no network");
  keepAhead("/api/domains", refuse);
  await new Promise((resolve) => setTimeout(resolve));
  dropAhead();
});
