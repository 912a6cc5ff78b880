import { createServer } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { expect, test } from "vitest";
import { arrivals, offerLoad, responseReader } from "./open-loop.ts";

const request = { path: "/read", cookie: "session=1" };

/** Starts a server that answers one request at a time, each after `delayMs`. */
async function slowServer(delayMs: number, status = 200) {
  let before: Promise<unknown> = Promise.resolve();
  const server = createServer((_, response) => {
    before = before.then(() => wait(delayMs)).then(() => response.writeHead(status, { "content-length": 2 }).end("{}"));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  return { host: "127.0.0.1", port, [Symbol.dispose]: () => void server.close() };
}

test("as many requests are drawn as the rate says, in order, and the same ones for the same seed", () => {
  const load = { perSecond: 1000, seconds: 10, seed: 1 };
  const times = arrivals(load);
  expect(times.length).toBeGreaterThan(9500);
  expect(times.length).toBeLessThan(10_500);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  expect(arrivals(load)).toEqual(times);
  expect(arrivals({ ...load, seed: 2 })).not.toEqual(times);
});

test("a server that is slower than the rate makes latencies grow, since they count from the drawn times", async () => {
  using server = await slowServer(20);
  const { latenciesMs, perSecond } = await offerLoad({
    ...server,
    connections: [[request], [request]],
    perSecond: 200,
    seconds: 0.3,
    seed: 1,
  });
  expect(perSecond).toBeLessThan(60);
  // The last of about 60 requests is due after 0.3 s and answered after at least 1.2 s.
  expect(latenciesMs.at(-1)).toBeGreaterThan(600);
});

test("a response other than 200 ends the measurement", async () => {
  using server = await slowServer(0, 401);
  const load = { ...server, connections: [[request]], perSecond: 100, seconds: 0.1, seed: 1 };
  await expect(offerLoad(load)).rejects.toThrow("401");
});

test("responses are read whole, however their bytes are split", () => {
  const response = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n12345";
  for (let split = 1; split < response.length; split++) {
    let count = 0;
    const read = responseReader(() => void count++);
    for (const text of [response, response]) {
      read(Buffer.from(text.slice(0, split)));
      read(Buffer.from(text.slice(split)));
    }
    expect(count).toBe(2);
  }
});
