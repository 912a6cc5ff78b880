/**
 * Addresses of accounts for tests that run again: CI repeats a failed test once, and its first run may have left an
 * account, with whatever session.
 */
import { TestRunner } from "vitest";

/** Deletes the account that an earlier run of the running test has left, if it still has this password. */
export async function freeAddress(
  origin: string,
  { email, password }: { email: string; password: string },
): Promise<void> {
  const earlierRuns = TestRunner.getCurrentTest()?.result?.retryCount ?? 0;
  if (earlierRuns === 0) return;
  const signedIn = await fetch(`${origin}/api/auth/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email, password }),
  });
  const cookie = (signedIn.headers.get("set-cookie") ?? "").split(";", 1)[0] ?? "";
  if (signedIn.ok) await fetch(`${origin}/api/account`, { method: "DELETE", headers: { cookie } });
}
