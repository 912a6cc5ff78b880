/** The operator's command `npx kauke …`. It never prints a key or a password. */

import { product } from "@kauke/contract";
import { traceOf } from "../core/error-trace.ts";
import { limitNames } from "../limits/named-limits.ts";
import type { Config } from "../settings/config.ts";
import { SettingsError } from "../settings/env.ts";
import { readConfigOrExit } from "../settings/read-config.ts";
import { StoreStartError } from "../store/start-error.ts";
import { commands } from "./commands/all.ts";
import { findCommand, print } from "./commands/command.ts";
import { ControlError } from "./control/control-client.ts";
import { OperatorError } from "./control/control-protocol.ts";
import { type OperatorAccess, openAccess, sentenceOf } from "./control/operator-access.ts";

/** @returns exit code: 0 success; 1 failure, or a problem to fix; 2 invalid usage */
async function main(typed: readonly string[]): Promise<number> {
  const found = findCommand(commands, typed);
  if (found.kind === "help") return print(found.text);
  if (found.kind === "unknown") {
    process.stderr.write(found.text);
    return 2;
  }
  let settings: Config | null = null;
  const config = () => (settings ??= readConfigOrExit(process.cwd(), limitNames));
  let opened: OperatorAccess | null = null;
  const access = async () => (opened ??= await openAccess(config()));
  try {
    return await found.command.run({ values: found.values, args: found.args, config, access });
  } finally {
    await closeAccess(opened);
  }
}

async function closeAccess(opened: OperatorAccess | null): Promise<void> {
  await opened?.close();
}

function sentenceFor(thrown: unknown): string {
  if (thrown instanceof OperatorError || thrown instanceof StoreStartError || thrown instanceof SettingsError)
    return thrown.message;
  if (thrown instanceof ControlError) return sentenceOf(thrown);
  const { code, stack } = traceOf(thrown);
  return `Unexpected error of ${product.name}: ${[code, stack].filter(Boolean).join(" ")}`;
}

// A reader that closes the pipe early (EPIPE), e.g. `kauke users | head`, is not a failure.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") process.exitCode = 1;
});

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (thrown) {
  process.stderr.write(`${sentenceFor(thrown)}\n`);
  process.exitCode = 1;
}
