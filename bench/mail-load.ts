/**
 * Load for a forwarder: a generator that sends one message per connection, and a sink that accepts everything. The
 * generator is Postfix's smtp-source if that is installed, otherwise a small one of our own.
 */
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { envelopeFrom, helo, type MailLoad } from "./mail-job.ts";
import { messageLines } from "./message.ts";
import { ownLoad } from "./own-load.ts";
import { startSink } from "./sink/start-sink.ts";

/** Searches PATH, and the directories outside an ordinary user's PATH where Debian installs Postfix's programs. */
export function findProgram(name: string): string | null {
  const directories = [...(process.env.PATH ?? "").split(":"), "/usr/sbin", "/usr/local/sbin"];
  return directories.map((directory) => join(directory, name)).find((path) => existsSync(path)) ?? null;
}

export function chooseLoad(): MailLoad {
  const source = findProgram("smtp-source");
  return source === null ? ownLoad({ isSecure: false }) : postfixLoad(source);
}

function postfixLoad(source: string): MailLoad {
  return {
    name: "smtp-source and our own sink",
    startSink,
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
