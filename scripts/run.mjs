/**
 * The launcher behind every npm script: `node scripts/run.mjs <command> [arguments]`. Runs on Node 20 before any
 * package is installed, installs what is missing, then runs the command's steps on the pinned Node until one fails.
 */
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { runChild } from "./launch/child.mjs";
import { ensureInstalled } from "./launch/install.mjs";
import { findNode } from "./launch/node-binary.mjs";
import { serverFlags } from "./launch/server-flags.mjs";

const buildWeb = ["scripts/build-web.mjs"];

/**
 * Steps of each command; each step is a list of arguments for Node. The caller's arguments are appended to the last
 * step.
 */
const commands = {
  start: [buildWeb, [...serverFlags, "apps/server/src/main.ts"]],
  dev: [[...buildWeb, "--dev"], ["scripts/dev.ts"]],
  test: [["scripts/test.ts", "quick"]],
  "test-all": [["scripts/test.ts", "all"]],
  "test-long": [["scripts/test.ts", "long"]],
  check: [["scripts/test.ts", "check"]],
  e2e: [["scripts/test.ts", "e2e"]],
  bench: [["bench/run.ts"]],
  format: [["node_modules/@biomejs/biome/bin/biome", "check", "--write"]],
  "mail-send": [["scripts/mail-send.ts"]],
  package: [["scripts/package/build.ts"]],
};

const root = dirname(dirname(fileURLToPath(import.meta.url)));
process.exitCode = await run(process.argv[2], process.argv.slice(3));

async function run(command, args) {
  const steps = Object.hasOwn(commands, command ?? "") ? commands[command] : null;
  if (steps === null) return stop(`Usage: node scripts/run.mjs ${Object.keys(commands).join("|")} [arguments]`);
  const problem = await ensureInstalled(root);
  if (problem !== null) return stop(problem);
  const node = findNode(root);
  if ("problem" in node) return stop(node.problem);
  const env = { ...process.env, PATH: [join(root, "node_modules", ".bin"), process.env.PATH].join(delimiter) };
  for (const [index, step] of steps.entries()) {
    const extra = index === steps.length - 1 ? args : [];
    const { code, interrupted } = await runChild(node.path, [...step, ...extra], { cwd: root, env });
    if (code !== 0) return code;
    if (interrupted) return 0;
  }
  return 0;
}

function stop(sentence) {
  process.stderr.write(`${sentence}\n`);
  return 1;
}
