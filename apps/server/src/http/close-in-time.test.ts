import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { fastify } from "fastify";
import { describe, expect, it } from "vitest";
import { closeInTime } from "./close-in-time.ts";
import { respondToBrokenRequest } from "./response/problem.ts";

async function startSlow(graceMs: number) {
  const app = fastify({ return503OnClosing: false, clientErrorHandler: respondToBrokenRequest });
  closeInTime(app, graceMs);
  app.get("/after/:ms", async (request) => {
    await pause(Number((request.params as { ms: string }).ms));
    return { status: "done" };
  });
  await app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = app.server.address() as AddressInfo;
  return { app, port, url: `http://127.0.0.1:${port}` };
}

describe("shutting down", () => {
  it("lets a request in progress finish and accepts no new one", async () => {
    const { app, url } = await startSlow(2000);
    const running = fetch(`${url}/after/200`);
    await pause(50);
    const begun = performance.now();
    const closed = app.close();
    expect(await (await running).json()).toEqual({ status: "done" });
    await closed;
    expect(performance.now() - begun).toBeLessThan(1500);
    await expect(fetch(`${url}/after/0`)).rejects.toThrow();
  });

  it("closes connections whose requests do not finish in time", async () => {
    const { app, url } = await startSlow(100);
    const running = fetch(`${url}/after/60000`);
    const refused = expect(running).rejects.toThrow();
    await pause(50);
    const begun = performance.now();
    await app.close();
    expect(performance.now() - begun).toBeLessThan(1500);
    await refused;
  });

  it("does not wait for idle connections", async () => {
    const { app, port } = await startSlow(5000);
    const idle = connect(port, "127.0.0.1");
    await once(idle, "connect");
    idle.write("GET /after/0 HTTP/1.1\r\nhost: x\r\n\r\n");
    await once(idle, "data");
    const begun = performance.now();
    await app.close();
    expect(performance.now() - begun).toBeLessThan(1000);
    idle.destroy();
  });
});

describe("a request that is not HTTP", () => {
  it.each([
    ["nonsense", "HELLO\r\n\r\n", "400 Bad Request"],
    ["a head that is too long", `GET / HTTP/1.1\r\nhost: x\r\nx: ${"a".repeat(20_000)}\r\n\r\n`, "431 "],
  ])("gets an error in JSON: %s", async (_, bytes, status) => {
    const { app, port } = await startSlow(100);
    const socket = connect(port, "127.0.0.1");
    let answer = "";
    socket.on("data", (chunk) => {
      answer += chunk;
    });
    socket.write(bytes);
    await once(socket, "close");
    expect(answer.startsWith(`HTTP/1.1 ${status}`)).toBe(true);
    expect(JSON.parse(answer.slice(answer.indexOf("\r\n\r\n")))).toMatchObject({ code: "invalid" });
    await app.close();
  });
});
