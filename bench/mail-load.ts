/**
 * Load for a forwarder: a generator that sends one message per connection, and a sink that takes everything. Postfix's
 * smtp-source and smtp-sink where they are installed, else a small generator of our own and the testkit's mail host.
 */
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FakeMx } from "@kauke/testkit/fake-mx";
import { messageLines, wireMessage } from "./message.ts";
import { sleep } from "./table.ts";

export interface SendJob {
  port: number;
  rcptTo: string;
  count: number;
  sessions: number;
  sizeBytes: number;
}

export interface LoadSink {
  /** Messages taken so far. */
  received(): number;
  close(): Promise<void>;
}

export interface MailLoad {
  name: string;
  startSink(port: number): Promise<LoadSink>;
  /** Resolves when every message was answered 250. @throws when one was not */
  send(job: SendJob): Promise<void>;
}

export const envelopeFrom = "sender@remote.test";
const helo = "client.remote.test";

/** Debian puts Postfix's programs where an ordinary user's PATH does not lead. */
export function findProgram(name: string): string | null {
  const directories = [...(process.env.PATH ?? "").split(":"), "/usr/sbin", "/usr/local/sbin"];
  return directories.map((directory) => join(directory, name)).find((path) => existsSync(path)) ?? null;
}

export function chooseLoad(): MailLoad {
  const source = findProgram("smtp-source");
  const sink = findProgram("smtp-sink");
  return source === null || sink === null ? ownLoad : postfixLoad(source, sink);
}

export async function untilListening(port: number): Promise<void> {
  for (const giveUpAt = Date.now() + 20_000; ; await sleep(20)) {
    const isUp = await new Promise<boolean>((resolve) => {
      const socket = connect(port, "127.0.0.1").on("error", () => resolve(false));
      socket.on("connect", () => {
        socket.destroy();
        resolve(true);
      });
    });
    if (isUp) return;
    if (Date.now() > giveUpAt) throw new Error(`nothing listens on port ${port}`);
  }
}

function postfixLoad(source: string, sink: string): MailLoad {
  return {
    name: "smtp-source and smtp-sink",
    startSink: (port) => startSmtpSink(sink, port),
    async send({ port, rcptTo, count, sessions, sizeBytes }) {
      const directory = mkdtempSync(join(tmpdir(), "kauke-bench-"));
      const file = join(directory, "message");
      writeFileSync(file, `${messageLines(sizeBytes).join("\n")}\n`);
      const load = ["-s", String(Math.min(sessions, count)), "-m", String(count), "-F", file];
      const names = ["-f", envelopeFrom, "-t", rcptTo, "-M", helo];
      const child = spawn(source, ["-C", "10", ...load, ...names, `127.0.0.1:${port}`], {
        stdio: ["ignore", "ignore", "pipe"],
      });
      let complaint = "";
      child.stderr.on("data", (chunk) => void (complaint += String(chunk)));
      const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
      rmSync(directory, { recursive: true, force: true });
      if (code !== 0) throw new Error(`smtp-source ended with ${code}: ${complaint.trim().slice(0, 300)}`);
    },
  };
}

async function startSmtpSink(program: string, port: number): Promise<LoadSink> {
  const user = process.getuid?.() === 0 ? ["-u", "nobody"] : [];
  const child = spawn(program, ["-c", "-m", "1024", ...user, `127.0.0.1:${port}`, "1024"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  const kill = () => child.kill();
  process.once("exit", kill);
  // It keeps rewriting one line: sess=.. quit=.. mesg=N
  let tail = "";
  child.stdout.on("data", (chunk) => void (tail = (tail + String(chunk)).slice(-200)));
  await untilListening(port);
  return {
    received: () => Number([...tail.matchAll(/mesg=(\d+)\D/g)].at(-1)?.[1] ?? 0),
    async close() {
      process.removeListener("exit", kill);
      const ended = new Promise((resolve) => child.once("close", resolve));
      child.kill();
      await ended;
    },
  };
}

/** Shares our process with its sink, so its rates say less than its CPU figures. */
const ownLoad: MailLoad = {
  name: "our own generator and sink (Postfix is not installed)",
  async startSink(port) {
    const sink = await FakeMx.start({ port });
    let received = 0;
    sink.keep = () => void received++;
    return { received: () => received, close: () => sink.close() };
  },
  async send({ port, rcptTo, count, sessions, sizeBytes }) {
    const message = Buffer.concat([wireMessage(messageLines(sizeBytes)), Buffer.from(".\r\n")]);
    let left = count;
    const runSession = async () => {
      while (left-- > 0) await sendOne(port, rcptTo, message);
    };
    await Promise.all(Array.from({ length: Math.min(sessions, count) }, runSession));
  },
};

function sendOne(port: number, rcptTo: string, message: Buffer): Promise<void> {
  const steps: (string | Buffer)[] = [
    `EHLO ${helo}\r\n`,
    `MAIL FROM:<${envelopeFrom}>\r\n`,
    `RCPT TO:<${rcptTo}>\r\n`,
    "DATA\r\n",
    message,
    "QUIT\r\n",
  ];
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true });
    let text = "";
    let step = 0;
    socket.on("error", reject);
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
      const reply = /^(?:\d{3}-.*\r\n)*([2-5]\d\d)(?: .*)?\r\n/.exec(text);
      if (reply === null) return;
      text = "";
      const next = steps[step++];
      if (reply[1]!.startsWith("2") || reply[1] === "354") {
        if (next !== undefined) return void socket.write(next);
        socket.end();
        return resolve();
      }
      socket.destroy();
      reject(new Error(`refused at step ${step}: ${reply[0].trim()}`));
    });
  });
}
