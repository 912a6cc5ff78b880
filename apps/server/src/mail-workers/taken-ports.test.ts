import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect, test } from "vitest";
import { refuseTakenPorts } from "./taken-ports.ts";

const host = "127.0.0.1";

async function listenElsewhere() {
  const server = createServer().listen(0, host);
  await once(server, "listening");
  return { server, port: (server.address() as AddressInfo).port };
}

test("a port that another program listens on is refused, with its number", async () => {
  const { server, port } = await listenElsewhere();
  await expect(refuseTakenPorts([{ host, port }], 0)).rejects.toMatchObject({ code: "EADDRINUSE", port });
  server.close();
});

test("a port is awaited that a worker of a killed owner still listens on for a moment", async () => {
  const { server, port } = await listenElsewhere();
  const checked = refuseTakenPorts(
    [
      { host, port: 0 },
      { host, port },
    ],
    60_000,
  );
  await new Promise((resolve) => setTimeout(resolve, 100));
  server.close();
  await checked;
});
