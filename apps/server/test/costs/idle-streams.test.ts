/** Memory of a thousand open tabs that wait for events, each with a connection of its own, and that none is dropped. */
import { once } from "node:events";
import { type ClientRequest, get, type IncomingMessage } from "node:http";
import { isLongRun, printFigures } from "@kauke/testkit/long-rounds";
import { registerPerson } from "@kauke/testkit/person";
import { memoryOf } from "@kauke/testkit/process-figures";
import { removeDataDirs, startServerProcess } from "@kauke/testkit/server-process";
import { afterAll, expect, test } from "vitest";

const STREAMS = 1000;
const PER_ACCOUNT = 20;
const MOST_MIB = 40;

afterAll(removeDataDirs);

async function openStream(url: string, cookie: string): Promise<{ request: ClientRequest; response: IncomingMessage }> {
  const request = get(`${url}/api/events`, { headers: { cookie }, agent: false });
  const [response] = (await once(request, "response")) as [IncomingMessage];
  expect(response.statusCode).toBe(200);
  response.resume();
  request.on("error", () => {});
  response.on("error", () => {});
  return { request, response };
}

test.runIf(isLongRun && process.platform === "linux")(
  "a thousand idle streams take 40 MiB at most",
  async () => {
    const server = await startServerProcess({ env: { KAUKE_LIMITS: "off" } });
    try {
      const people = [];
      for (let made = 0; made < STREAMS / PER_ACCOUNT; made++) people.push(await registerPerson(server.url));
      const settled = () => new Promise((resolve) => setTimeout(resolve, 5000));
      // The first streams load what all share.
      const [first] = people;
      if (first === undefined) throw new Error("nobody is registered");
      for (let warm = 0; warm < 100; warm++) (await openStream(server.url, first.cookie)).request.destroy();
      await settled();
      const before = memoryOf(server.pid)?.rssMib ?? 0;
      const streams: Awaited<ReturnType<typeof openStream>>[] = [];
      for (const { cookie } of people)
        for (let own = 0; own < PER_ACCOUNT; own++) streams.push(await openStream(server.url, cookie));
      await settled();
      // Longer than a beat.
      await new Promise((resolve) => setTimeout(resolve, 30_000));
      const mib = (memoryOf(server.pid)?.rssMib ?? 0) - before;
      expect(streams.filter(({ response }) => !response.complete && !response.destroyed)).toHaveLength(STREAMS);
      printFigures("idle event streams", { streams: STREAMS, MiB: mib });
      for (const { request } of streams) request.destroy();
      expect(mib).toBeLessThanOrEqual(MOST_MIB);
    } finally {
      await server.stop();
    }
  },
  180_000,
);
