/**
 * Load for a forwarder: a generator that sends one message per connection, and a sink that accepts everything. Uses
 * Postfix's smtp-source and smtp-sink if they are installed, otherwise a small generator of our own and the testkit's
 * mail host.
 */
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { envelopeFrom, helo, type LoadSink, type MailLoad } from "./mail-job.ts";
import { messageLines } from "./message.ts";
import { ownLoad } from "./own-load.ts";
import { sleep } from "./table.ts";

/** Searches PATH, and the directories outside an ordinary user's PATH where Debian installs Postfix's programs. */
export function findProgram(name: string): string | null {
  const directories = [...(process.env.PATH ?? "").split(":"), "/usr/sbin", "/usr/local/sbin"];
  return directories.map((directory) => join(directory, name)).find((path) => existsSync(path)) ?? null;
}

export function chooseLoad(): MailLoad {
  const source = findProgram("smtp-source");
  const sink = findProgram("smtp-sink");
  return source === null || sink === null ? ownLoad({ isSecure: false }) : postfixLoad(source, sink);
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
  // smtp-sink rewrites one line repeatedly: sess=.. quit=.. mesg=N
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
