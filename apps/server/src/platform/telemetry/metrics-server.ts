/**
 * Serves `GET /metrics` on a port of its own, so that a firewall can block outside access; other paths are answered
 * 404.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dropRest, GatheredRequest } from "../../runtime/gathered-request.ts";
import type { ListenConfig } from "../../settings/config.ts";

const CONNECTIONS_MAX = 64;
const IDLE_MS = 10_000;

export interface RunningMetricsServer {
  port: number;
  close(): Promise<void>;
}

/** @param pages renders the page; must not reject */
export async function listenMetrics(
  pages: { render(): Promise<string> },
  listen: ListenConfig,
): Promise<RunningMetricsServer> {
  const limits = { requestTimeout: 5000, connectionsCheckingInterval: 1000, maxHeaderSize: 8192 };
  const server = createServer({ ...limits, IncomingMessage: GatheredRequest }, (request, response) => {
    dropRest(request, response);
    const isPage = request.method === "GET" && request.url?.split("?")[0] === "/metrics";
    response.writeHead(isPage ? 200 : 404, { "content-type": "text/plain; version=0.0.4; charset=utf-8" });
    if (isPage) void pages.render().then((text) => response.end(text));
    else response.end("Not found\n");
  });
  // Few collectors connect, so connections are limited, and a connection that is idle is closed after IDLE_MS.
  server.maxConnections = CONNECTIONS_MAX;
  server.keepAliveTimeout = IDLE_MS;
  server.setTimeout(IDLE_MS);
  await new Promise<void>((done, fail) => {
    server.once("error", fail);
    server.listen(listen.port, listen.host, done);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}
