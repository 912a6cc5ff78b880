/** Runs age jobs in a process of its own (`age-worker.ts`): answers each order with its outcome, one after another. */
import type { AgeJobName, AgeJobs } from "../../core/age-worker/age-worker.ts";
import { runAgeJob } from "./run-age-job.ts";

interface Order {
  name: AgeJobName;
  wish: AgeJobs[AgeJobName]["wish"];
}

process.on("message", (order: Order) => void answer(order));
process.on("disconnect", () => process.exit(0));
// Ctrl-C reaches the whole group; when to end is the parent's decision.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => {});

async function answer({ name, wish }: Order): Promise<void> {
  // Nothing of what was thrown is passed on: its text may hold the private key.
  const outcome = await runAgeJob(name, wish).catch(() => "broken" as const);
  process.send?.(outcome);
}

process.send?.("ready");
