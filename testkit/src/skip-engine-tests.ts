/** Skips single tests that need our own engine; a setup file of test runs. */
import { beforeEach } from "vitest";
import { namesOfEngineTests } from "./engine-tests.ts";
import { isProviderRun } from "./provider-run.ts";

if (isProviderRun) {
  beforeEach(({ task, skip }) => {
    if (namesOfEngineTests.has(task.name)) skip("needs our own engine");
  });
}
