/** A raw SMTP client over a real socket for protocol tests: sends exactly the given bytes, reads whole replies. */
import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";

export interface SmtpTalk {
  /** Sends one line and reads its reply, e.g. `250 2.0.0 Ok`; lines of a longer reply are joined by `\n`. */
  ask(line: string): Promise<string>;
  /** Sends bytes unchanged. */
  send(bytes: string | Buffer): void;
  /** Reads the next whole reply. */
  reply(): Promise<string>;
  /** Reads every reply until the server closes the connection. */
  rest(): Promise<string[]>;
  startTls(): Promise<void>;
  close(): void;
  socket: Socket;
}

/** Connects and reads the greeting. @param localAddress address of the client, e.g. `127.1.2.3` */
export async function smtpTalk(
  port: number,
  host = "127.0.0.1",
  localAddress?: string,
): Promise<SmtpTalk & { greeting: string }> {
  const socket = connect({ port, host, noDelay: true, localAddress });
  const talk = talkOver(socket);
  return Object.assign(talk, { greeting: await talk.reply() });
}

/** Connects to a port that uses TLS from the first byte; accepts any certificate. */
export async function smtpTalkTls(
  port: number,
  host = "127.0.0.1",
  localAddress?: string,
): Promise<SmtpTalk & { greeting: string }> {
  const talk = talkOver(connectTls({ socket: connect({ port, host, localAddress }), rejectUnauthorized: false }));
  return Object.assign(talk, { greeting: await talk.reply() });
}

function talkOver(first: Socket): SmtpTalk {
  let text = "";
  let closed = false;
  let wake = () => {};
  const listen = (socket: Socket) => {
    socket.on("data", (chunk) => {
      text += chunk.toString("utf8");
      wake();
    });
    socket.on("error", () => {});
    socket.on("close", () => {
      closed = true;
      wake();
    });
  };
  listen(first);

  async function reply(): Promise<string> {
    for (;;) {
      const match = /^(?:\d{3}-.*\r\n)*\d{3}(?: .*)?\r\n/.exec(text);
      if (match !== null) {
        text = text.slice(match[0].length);
        return match[0].trimEnd().replaceAll("\r\n", "\n");
      }
      if (closed) throw new Error("the server closed the connection");
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }

  const talk: SmtpTalk = {
    socket: first,
    reply,
    send: (bytes) => void talk.socket.write(bytes),
    ask(line) {
      talk.socket.write(`${line}\r\n`);
      return reply();
    },
    async rest() {
      const replies: string[] = [];
      for (;;) {
        try {
          replies.push(await reply());
        } catch {
          return replies;
        }
      }
    },
    async startTls() {
      const plain = talk.socket;
      plain.removeAllListeners("data");
      const secure = connectTls({ socket: plain, rejectUnauthorized: false });
      await new Promise<void>((resolve, reject) => {
        secure.once("secureConnect", resolve);
        secure.once("error", reject);
      });
      talk.socket = secure;
      listen(secure);
    },
    close: () => void talk.socket.destroy(),
  };
  return talk;
}
