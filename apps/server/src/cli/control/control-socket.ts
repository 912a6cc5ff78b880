/**
 * The control socket: a Unix socket of mode 0600 in the data directory. It is bound in a private folder and renamed
 * into place, so that no other user can ever connect. Replaces the socket of a killed server, not that of a running
 * one.
 */

import { chmod, lstat, mkdir, mkdtemp, rename, rm, rmdir } from "node:fs/promises";
import { createServer, type Server, type Socket } from "node:net";
import { dirname, join } from "node:path";
import { traceOf } from "../../core/error-trace.ts";
import { bounds } from "../../limits/table.ts";
import { ByteBlocks } from "../../runtime/byte-streams.ts";
import type { Logger } from "../../runtime/ports.ts";
import { isListening } from "./control-client.ts";
import {
  type ControlHandlers,
  type ControlRequest,
  type ControlResponse,
  controlPath,
  OperatorError,
  readRequest,
} from "./control-protocol.ts";

const NEWLINE = 0x0a;

export interface ControlSocket {
  close(): Promise<void>;
}

export interface ControlSocketOptions {
  dataDir: string;
  handlers: ControlHandlers;
  logger: Logger;
}

/** Never throws: without the socket the server still runs, and logs `control_socket_unavailable`. */
export async function listenControl({ dataDir, handlers, logger }: ControlSocketOptions): Promise<ControlSocket> {
  const path = controlPath(dataDir);
  try {
    if (path !== null && !(await isListening(path))) return await listenAt(path, handlers, logger);
  } catch (thrown) {
    logger.warn("control_socket_unavailable", traceOf(thrown));
    return { close: async () => {} };
  }
  if (process.platform !== "win32") logger.warn("control_socket_unavailable");
  return { close: async () => {} };
}

async function listenAt(path: string, handlers: ControlHandlers, logger: Logger): Promise<ControlSocket> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    serve(socket, handlers, logger);
  });
  server.maxConnections = bounds.operatorSocket.connections;
  await bindPrivately(server, path);
  const { ino } = await lstat(path);
  return {
    async close() {
      // Another server may have replaced the socket file meanwhile.
      if ((await lstat(path).catch(() => null))?.ino === ino) await rm(path, { force: true });
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((done) => server.close(() => done()));
    },
  };
}

async function bindPrivately(server: Server, path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const folder = await mkdtemp(join(dirname(path), ".k"));
  const first = join(folder, "s");
  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(first, resolve);
    });
    await chmod(first, 0o600);
    await rename(first, path);
  } catch (thrown) {
    server.close();
    throw thrown;
  } finally {
    await rm(first, { force: true });
    await rmdir(folder);
  }
}

/** A connection that sends too much, or nothing for ten seconds, is closed. */
function serve(socket: Socket, handlers: ControlHandlers, logger: Logger): void {
  const blocks = new ByteBlocks();
  socket.setTimeout(bounds.operatorSocket.idleMs, () => socket.destroy());
  socket.on("error", () => {});
  const read = (chunk: Buffer) => {
    blocks.push(chunk);
    if (blocks.length > bounds.operatorSocket.requestBytes) return socket.destroy();
    if (!chunk.includes(NEWLINE)) return;
    socket.off("data", read);
    // No timeout from here on: a backup can take hours, and the client has its own timeout.
    socket.setTimeout(0);
    const line = Buffer.concat(blocks.take());
    void respond(line.subarray(0, line.indexOf(NEWLINE)), handlers, logger).then((response) => {
      socket.end(`${JSON.stringify(response)}\n`);
    });
  };
  socket.on("data", read);
}

async function respond(line: Buffer, handlers: ControlHandlers, logger: Logger): Promise<ControlResponse> {
  const request = readRequest(jsonOf(line));
  return request === null ? { ok: false } : await runRequest(request, handlers, logger);
}

function jsonOf(line: Buffer): unknown {
  try {
    return JSON.parse(line.toString("utf8"));
  } catch {
    return null;
  }
}

/** Never throws: a failure is logged, and the response contains at most a sentence for the operator. */
export async function runRequest(
  { call, ...ask }: ControlRequest,
  handlers: ControlHandlers,
  logger: Logger,
): Promise<ControlResponse> {
  try {
    // `readRequest` has checked the shape of the call.
    const handle = handlers[call] as (ask: object) => Promise<unknown>;
    return { ok: true, value: await handle(ask) };
  } catch (thrown) {
    if (thrown instanceof OperatorError) return { ok: false, sentence: thrown.message };
    logger.warn("control_failed", traceOf(thrown));
    return { ok: false };
  }
}
