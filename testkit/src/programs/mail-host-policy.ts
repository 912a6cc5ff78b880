/**
 * A policy service that real mail hosts query at RCPT (Postfix' policy protocol; Exim reads the same over a socket).
 * Answers as the test decides, e.g. to make the host greylist, report a full mailbox, or answer late.
 */
import { createServer, type Socket } from "node:net";

/**
 * Decides what a mail host replies to RCPT. @param recipient in lower case @param times number of queries for this
 * recipient, from 1 @returns e.g. `450 4.2.0 Greylisted`; `null` to accept
 */
export type RecipientRule = (recipient: string, times: number) => string | null | Promise<string | null>;

export interface MailHostPolicy {
  port: number;
  close(): Promise<void>;
}

export async function startMailHostPolicy(rule: RecipientRule): Promise<MailHostPolicy> {
  const asked = new Map<string, number>();
  const open = new Set<Socket>();
  async function answer(socket: Socket, request: string): Promise<void> {
    const recipient = /^recipient=(.*)$/m.exec(request)?.[1]?.toLowerCase() ?? "";
    const times = (asked.get(recipient) ?? 0) + 1;
    asked.set(recipient, times);
    const refusal = await rule(recipient, times);
    socket.end(`action=${refusal ?? "dunno"}\n\n`);
  }
  const server = createServer((socket) => {
    open.add(socket);
    let text = "";
    socket.on("data", (chunk) => {
      text += String(chunk);
      if (text.endsWith("\n\n")) void answer(socket, text);
    });
    socket.on("error", () => socket.destroy());
    socket.on("close", () => open.delete(socket));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    async close() {
      for (const socket of open) socket.destroy();
      await new Promise<void>((done) => server.close(() => done()));
    },
  };
}
