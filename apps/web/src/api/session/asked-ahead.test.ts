import { expect, test } from "vitest";
import { dropAhead, keepAhead, takeAhead } from "./asked-ahead.ts";

const respond = (text: string) => async () => new Response(text);

test("a prefetched response is handed out once, to the next request for the same path", async () => {
  keepAhead("/api/notices", respond("ahead"));
  expect(takeAhead("/api/domains")).toBe(undefined);
  expect(await (await takeAhead("/api/notices"))?.text()).toBe("ahead");
  expect(takeAhead("/api/notices")).toBe(undefined);
});

test("prefetched responses are dropped once something has changed", () => {
  keepAhead("/api/notices", respond("before"));
  dropAhead();
  expect(takeAhead("/api/notices")).toBe(undefined);
});

test("a failed prefetch rejects for the caller that takes it, and causes no unhandled rejection if none does", async () => {
  const refuse = () => Promise.reject(new Error("no network"));
  keepAhead("/api/notices", refuse);
  await expect(takeAhead("/api/notices")).rejects.toThrow("no network");
  keepAhead("/api/domains", refuse);
  await new Promise((resolve) => setTimeout(resolve));
  dropAhead();
});
