#!/usr/bin/env node
/**
 * `npx kauke …`: finds the pinned Node and runs the operator's command on it, with the settings the server is started
 * with. Runs on Node 20 before any package is installed and installs what is missing, like run.mjs.
 */
import { realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { runChild } from "./launch/child.mjs";
import { ensureInstalled } from "./launch/install.mjs";
import { findNode } from "./launch/node-binary.mjs";

// npx calls this file through a symbolic link.
const root = dirname(dirname(realpathSync(fileURLToPath(import.meta.url))));
process.exitCode = await run(process.argv.slice(2));

async function run(args) {
  const problem = await ensureInstalled(root);
  if (problem !== null) return stop(problem);
  const node = findNode(root);
  if ("problem" in node) return stop(node.problem);
  const program = join("apps", "server", "src", "cli", "kauke.ts");
  const { code } = await runChild(node.path, [program, ...args], { cwd: root });
  return code;
}

function stop(sentence) {
  process.stderr.write(`${sentence}\n`);
  return 1;
}
