/** Starts the mail host to which the forwarders under test deliver. */
import { fork } from "node:child_process";
import { join } from "node:path";
import type { LoadSink } from "../mail-job.ts";
import { untilListening } from "../until-listening.ts";

const program = join(import.meta.dirname, "sink.ts");

export async function startSink(port: number): Promise<LoadSink> {
  const child = fork(program, {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    env: { ...process.env, PORT: String(port) },
  });
  const ended = new Promise((resolve) => child.once("close", resolve));
  let received = 0;
  child.on("message", (count: number) => void (received = count));
  await untilListening(port);
  return {
    received: () => received,
    async close() {
      child.kill();
      await ended;
    },
  };
}
