/**
 * Mail hosts that waste a sender's time, for attack tests: `silent` accepts connections and sends nothing, `drip` reads
 * the body at one byte per second, `mute` reads whole messages but never answers the final dot.
 */
import { createServer, type Socket } from "node:net";

export type TarpitKind = "silent" | "drip" | "mute";

export interface Tarpit extends AsyncDisposable {
  port: number;
  /** Number of connections so far. */
  connections: number;
  /** Connections that are open now. */
  open: ReadonlySet<Socket>;
  /** Number of final dots received (`mute` only). */
  dots: number;
  close(): Promise<void>;
}

export interface TarpitOptions {
  kind: TarpitKind;
  host?: string;
  port?: number;
}

const EXTENSIONS = ["tarpit.example", "PIPELINING", "8BITMIME", "SMTPUTF8", "SIZE 104857600", "ENHANCEDSTATUSCODES"];
const ehloReply = EXTENSIONS.map((name, index) => `250${index === EXTENSIONS.length - 1 ? " " : "-"}${name}\r\n`).join(
  "",
);
const DRIP_MS = 1000;

export async function startTarpit({ kind, host = "127.0.0.1", port = 0 }: TarpitOptions): Promise<Tarpit> {
  const open = new Set<Socket>();
  const server = createServer({ noDelay: true }, (socket) => {
    tarpit.connections++;
    open.add(socket);
    socket.on("error", () => {}).on("close", () => open.delete(socket));
    if (kind !== "silent") talk(socket);
  });

  function talk(socket: Socket): void {
    let isBody = false;
    let text = "";
    socket.write("220 tarpit.example ESMTP\r\n");
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
      if (isBody) {
        if (text.endsWith("\r\n.\r\n")) tarpit.dots++;
        text = text.slice(-5);
        return;
      }
      for (let end = text.indexOf("\r\n"); end >= 0 && !isBody; end = text.indexOf("\r\n")) {
        const verb = text.slice(0, 4).toUpperCase();
        text = text.slice(end + 2);
        socket.write(verb === "EHLO" ? ehloReply : verb === "DATA" ? "354 go ahead\r\n" : "250 2.0.0 ok\r\n");
        isBody = verb === "DATA";
      }
      if (isBody && text.endsWith("\r\n.\r\n")) tarpit.dots++;
      if (isBody && kind === "drip") drip(socket);
    });
  }

  const tarpit: Tarpit = {
    port: 0,
    connections: 0,
    open,
    dots: 0,
    async close() {
      for (const socket of open) socket.destroy();
      await new Promise<void>((done) => server.close(() => done()));
    },
    [Symbol.asyncDispose]: () => tarpit.close(),
  };
  await new Promise<void>((done, failed) => {
    server.once("error", failed);
    server.listen(port, host, done);
  });
  const address = server.address();
  tarpit.port = typeof address === "object" && address !== null ? address.port : 0;
  return tarpit;
}

function drip(socket: Socket): void {
  socket.pause();
  socket.removeAllListeners("data");
  const timer = setInterval(() => void socket.read(1), DRIP_MS);
  socket.on("close", () => clearInterval(timer));
}
