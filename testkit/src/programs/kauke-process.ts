/** The process of `kauke-in-turns.ts`: for each message it runs the operator's command once, from the beginning. */
import { endMark } from "./kauke-end-mark.ts";

interface Order {
  args: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string>>;
}

const program = new URL("../../../apps/server/src/cli/kauke.ts", import.meta.url).href;
let runs = 0;
// Each run of the command adds a listener.
process.stdout.setMaxListeners(0);
process.on("message", (order: Order) => void run(order));
process.on("disconnect", () => process.exit());

async function run({ args, cwd, env }: Order): Promise<void> {
  process.chdir(cwd);
  for (const name of Object.keys(process.env)) if (env[name] === undefined) delete process.env[name];
  Object.assign(process.env, env);
  process.argv.splice(2, process.argv.length, ...args);
  process.exitCode = 0;
  runs += 1;
  await import(`${program}?run=${runs}`);
  process.stdout.write(`${endMark}${process.exitCode}`);
  process.stderr.write(endMark);
}
