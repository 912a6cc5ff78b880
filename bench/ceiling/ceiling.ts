/** Runs the ceiling relay, the lower limit that Kauke's CPU per message is compared with. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { openMeter } from "../cpu-meter.ts";
import type { ForwardSystem } from "../forward/forward-system.ts";
import { freeBenchPort } from "../free-port.ts";
import { untilListening } from "../until-listening.ts";

const program = join(import.meta.dirname, "relay.ts");

export async function startCeiling({ sinkPort }: { sinkPort: number }): Promise<ForwardSystem> {
  const port = await freeBenchPort();
  const meter = openMeter("ceiling");
  const child = spawn(process.execPath, [program], {
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, PORT: String(port), SINK: String(sinkPort) },
  });
  meter.join(child.pid!);
  const ended = new Promise((resolve) => child.once("close", resolve));
  const kill = () => child.kill("SIGKILL");
  process.prependOnceListener("exit", kill);
  await untilListening(port);
  return {
    name: "ceiling relay",
    variant: "ceiling",
    workers: 1,
    port,
    rcptTo: "alias@in.test",
    meter,
    warmUp: 4000,
    async close() {
      process.removeListener("exit", kill);
      kill();
      await ended;
      meter.close();
    },
  };
}
