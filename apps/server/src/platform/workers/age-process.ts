/** The child process of `age-worker.ts`: runs age jobs one after another and answers each with its outcome. */
import type { AgeJobName, AgeJobs } from "../../core/age-worker.ts";
import { runAgeJob } from "./run-age-job.ts";

interface Order {
  name: AgeJobName;
  input: AgeJobs[AgeJobName]["input"];
}

process.on("message", (order: Order) => void answer(order));
process.on("disconnect", () => process.exit(0));
// Ctrl-C is sent to the whole process group; the parent decides when this process ends.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => {});

async function answer({ name, input }: Order): Promise<void> {
  // Garbage of the order before would be added to the 256 MiB that scrypt may take.
  globalThis.gc?.();
  // The thrown error is not passed on, because its message may contain the private key.
  const outcome = await runAgeJob(name, input).catch(() => "broken" as const);
  process.send?.(outcome);
}

process.send?.("ready");
