import { type AddressInfo, createServer } from "node:net";

/** Finds a free port for servers that can't be started with port 0, such as two servers that share one port. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
