/** Proxies that write the client's address with a port, brackets or quotes, over real connections. */
import { startSystem, type TestSystem } from "@kauke/testkit/system";
import { afterAll, beforeAll, expect, test } from "vitest";

let system: TestSystem;
beforeAll(async () => {
  system = await startSystem({ env: { KAUKE_TRUSTED_PROXIES: "127.0.0.1" } });
});
afterAll(() => system.close());

async function guess(forwardedFor: string): Promise<number> {
  const { status } = await fetch(`${system.url}/api/auth/login`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-forwarded-for": forwardedFor },
    body: JSON.stringify({ email: `nobody.${Math.random()}@example.org`, password: "a wrong guess" }),
  });
  return status;
}

test("one guesser locks out nobody else, however the proxy writes addresses", async () => {
  const guesses: number[] = [];
  while (guesses.length < 200 && guesses.at(-1) !== 429)
    guesses.push(await guess(`203.0.113.7:${40_001 + guesses.length}`));
  expect(guesses.at(-1)).toBe(429);
  expect(guesses[0]).toBe(401);
  // The control: the same client is locked out in another spelling.
  expect(await guess('"203.0.113.7"')).toBe(429);
  for (const other of ["198.51.100.9:50123", "[2001:db8::9]:50123", "[2001:db8::9]", '"198.51.100.14"'])
    expect([other, await guess(other)]).toEqual([other, 401]);
});
