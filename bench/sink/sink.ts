/**
 * A mail host that accepts everything and stores nothing, in a process of its own: `PORT` is the port to listen on. It
 * searches whole chunks for the end of a message. Postfix's smtp-sink looks at every byte, so that it can take only 200
 * messages of a MiB a second, fewer than the systems under test can send.
 *
 * Tells its parent process how many messages it took.
 */
import { createServer, type Socket } from "node:net";

const HOST = "sink.test";
const END_OF_DATA = Buffer.from("\r\n.\r\n");
/** Last bytes of the DATA command, which may also be the beginning of the end of an empty message. */
const CRLF = Buffer.from("\r\n");
/** Milliseconds in which the parent is told the count at most once. */
const TELL_EVERY_MS = 4;

const replies: Record<string, string> = {
  EHLO: `250-${HOST}\r\n250-PIPELINING\r\n250 8BITMIME\r\n`,
  HELO: `250 ${HOST}\r\n`,
  DATA: "354 go ahead\r\n",
  QUIT: "221 bye\r\n",
};
const OK = "250 ok\r\n";

let received = 0;
let isTelling = false;

function countMessage(): void {
  received++;
  if (isTelling) return;
  isTelling = true;
  setTimeout(() => {
    isTelling = false;
    process.send!(received);
  }, TELL_EVERY_MS);
}

function serve(socket: Socket): void {
  let isData = false;
  let line = "";
  /** The last bytes of the message so far, among which its end may begin. */
  let tail: Buffer = CRLF;

  /** @returns the replies to the commands, as far as they are complete, and the bytes that follow DATA */
  const readCommands = (chunk: Buffer): { said: string; rest: Buffer } => {
    let said = "";
    let at = 0;
    for (let end = chunk.indexOf(0x0a); end >= 0; end = chunk.indexOf(0x0a, at)) {
      const verb = (line + chunk.toString("latin1", at, end)).slice(0, 4).toUpperCase();
      line = "";
      at = end + 1;
      said += replies[verb] ?? OK;
      if (verb === "QUIT") socket.end(said);
      isData = verb === "DATA";
      if (isData) break;
    }
    if (!isData) line += chunk.toString("latin1", at);
    return { said, rest: isData ? chunk.subarray(at) : chunk.subarray(chunk.length) };
  };

  /** @returns the bytes that follow the message; `null` if it goes on */
  const readMessage = (chunk: Buffer): Buffer | null => {
    const seam = Buffer.concat([tail, chunk.subarray(0, 4)]).indexOf(END_OF_DATA);
    const at = seam >= 0 ? seam - tail.length : chunk.indexOf(END_OF_DATA);
    if (seam < 0 && at < 0) {
      tail = Buffer.concat([tail, chunk.subarray(-4)]).subarray(-4);
      return null;
    }
    tail = CRLF;
    isData = false;
    countMessage();
    return chunk.subarray(at + END_OF_DATA.length);
  };

  socket.on("error", () => {});
  socket.on("data", (chunk: Buffer) => {
    let said = "";
    for (let rest: Buffer | null = chunk; rest !== null && rest.length > 0; ) {
      if (isData) {
        rest = readMessage(rest);
        if (rest !== null) said += OK;
      } else {
        const commands = readCommands(rest);
        said += commands.said;
        rest = commands.rest;
      }
    }
    if (said !== "" && !socket.writableEnded) socket.write(said);
  });
  socket.write(`220 ${HOST} ESMTP\r\n`);
}

createServer({ noDelay: true }, serve).listen({ port: Number(process.env.PORT), host: "127.0.0.1", backlog: 1024 });
process.on("disconnect", () => process.exit());
