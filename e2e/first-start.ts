/**
 * Creates, once per run, a data directory as the first start leaves it. Each test file begins with a copy, because
 * initializing the embedded database takes longer than the rest of a start. The first start itself is tested beside the
 * store.
 */
import { makeDataDir, removeDataDirs, startServerProcess } from "@kauke/testkit/server-process";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    initialDataDir: string;
  }
}

export async function setup(project: TestProject): Promise<void> {
  const dataDir = await makeDataDir();
  const server = await startServerProcess({ dataDir, readyTimeoutMs: 120_000 });
  await server.stop();
  project.provide("initialDataDir", dataDir);
}

export async function teardown(): Promise<void> {
  await removeDataDirs();
}
