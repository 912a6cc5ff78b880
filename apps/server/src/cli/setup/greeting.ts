import { connect } from "node:net";

const GREETING_MS = 10_000;
const GREETING_BYTES_MAX = 4096;

/** Whether a mail host greets us (RFC 5321 §3.1). Ends with QUIT and sends no mail. */
export function readGreeting(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    let text = "";
    const end = (isGreeted: boolean) => {
      clearTimeout(timer);
      resolve(isGreeted);
      socket.end("QUIT\r\n");
      setTimeout(() => socket.destroy(), 1000).unref();
    };
    const timer = setTimeout(() => {
      resolve(false);
      socket.destroy();
    }, GREETING_MS);
    socket.on("data", (chunk: Buffer) => {
      text += chunk.toString("latin1");
      if (text.includes("\n") || text.length > GREETING_BYTES_MAX) end(text.startsWith("220"));
    });
    socket.on("error", () => resolve(false));
    socket.on("close", () => {
      clearTimeout(timer);
      resolve(false);
    });
  });
}
