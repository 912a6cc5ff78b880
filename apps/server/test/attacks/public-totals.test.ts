/** The public totals count every row of the server: strangers who ask for them must not make it count all the time. */
import { startTestServer, Visitor } from "@kauke/server/http/test/test-server";
import { expect, test } from "vitest";

const STRANGERS = 100;

test("a hundred strangers who ask for the totals at once have them counted once, and once more a minute later", async () => {
  const server = await startTestServer();
  const { users } = server.store;
  const { count } = users;
  let counted = 0;
  // Counting takes until the test says so, and holds nothing else up.
  let end = Promise.withResolvers<void>();
  users.count = async () => {
    counted += 1;
    await end.promise;
    return count();
  };
  const ask = () => new Visitor(server).call("getStats");
  const first = Array.from({ length: STRANGERS }, ask);
  await expect.poll(() => counted).toBe(1);
  end.resolve();
  expect(new Set((await Promise.all(first)).map(({ status }) => status))).toEqual(new Set([200]));
  for (let second = 0; second < 59; second += 1) {
    server.clock.advance(1);
    await ask();
  }
  expect(counted).toBe(1);
  // While they are counted again, everybody gets the former ones at once.
  end = Promise.withResolvers<void>();
  server.clock.advance(1);
  const again = await Promise.all(Array.from({ length: STRANGERS }, ask));
  expect(again.every(({ status }) => status === 200)).toBe(true);
  // Control: they are counted again after a minute.
  expect(counted).toBe(2);
  end.resolve();
  await server.close();
});
