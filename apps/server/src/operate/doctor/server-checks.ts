/** What the server says of itself: whether it runs and can store, the queue, and mail kept for the operator. */
import type { ServerFacts } from "../control/control-protocol.ts";
import { type CheckResult, checking } from "./check-result.ts";

const HOUR_MS = 3_600_000;
/** A delivery older than this has failed many times over; its owner hears of it when the schedule ends. */
const LONG_MS = 24 * HOUR_MS;
const MIB = 1024 ** 2;
const KEPT_MAX = 1000;

export function checkServer(facts: ServerFacts, { isRunning, now }: { isRunning: boolean; now: Date }): CheckResult[] {
  return [
    checkRunning(facts, isRunning),
    checkStore(facts),
    checkDelivery(facts),
    checkQueue(facts, now),
    checkRotation(facts),
    checkKept(facts),
  ];
}

function checkRunning({ database, version, services }: ServerFacts, isRunning: boolean): CheckResult {
  const { ok, warn, fix } = checking("server", "process");
  if (isRunning) return ok(`Kauke ${version} runs here: ${services.join(", ")}.`);
  return database === "embedded"
    ? fix("No server runs on this data directory, so no port was looked at: start it with npm start.")
    : warn("No server runs with this data directory, so no port was looked at; others may run elsewhere.");
}

function checkStore({ isSound }: ServerFacts): CheckResult {
  const { ok, fix } = checking("store", "database");
  return isSound
    ? ok("It opens and stores.")
    : fix(
        "The disk refused to keep what was written, so all mail is deferred: mend the disk, then restart the server.",
      );
}

function checkDelivery({ delivery }: ServerFacts): CheckResult {
  const { ok, warn } = checking("delivery", delivery);
  if (delivery !== "preview") return ok("Mail leaves this machine.");
  return warn("No mail leaves, so DNS was not looked at: set KAUKE_DELIVERY to direct or relay to use real addresses.");
}

function checkQueue({ queue: { open, oldestAt, messageBytes } }: ServerFacts, now: Date): CheckResult {
  const { ok, warn } = checking("queue", `${open} open`);
  if (oldestAt === null) return ok("Nothing waits.");
  const waitedMs = now.getTime() - new Date(oldestAt).getTime();
  const says = `${(messageBytes / MIB).toFixed(1)} MiB wait, the oldest since ${oldestAt.slice(0, 16).replace("T", " ")} UTC`;
  if (waitedMs < LONG_MS) return ok(`${says}.`);
  return warn(`${says}: destinations do not answer, or this machine can't reach port 25 of others.`);
}

function checkRotation({ rotation: { isOpen, step, resealed, total } }: ServerFacts): CheckResult {
  const { ok, warn } = checking("keys", "sealing key");
  if (!isOpen) return ok("No rotation is open: every row is sealed by the newest key.");
  const sofar = step === "reseals" && total !== null ? ` ${resealed} of ${total} rows are sealed anew.` : "";
  return warn(`A rotation is open.${sofar} It goes on by itself while a server runs, and needs nothing of you.`);
}

function checkKept({ keptForOperator, postmasterGiven }: ServerFacts): CheckResult {
  const { ok, warn, fix } = checking("operator-mail", `${keptForOperator} kept`);
  if (keptForOperator === 0)
    return postmasterGiven
      ? ok("Mail to postmaster@ and abuse@ goes to KAUKE_POSTMASTER.")
      : ok("No mail to postmaster@ or abuse@ waits; set KAUKE_POSTMASTER to get it in a mailbox.");
  const how = "read it with `kauke doctor --mail`, and set KAUKE_POSTMASTER to get it in a mailbox";
  if (keptForOperator >= KEPT_MAX) return fix(`No more mail to postmaster@ and abuse@ is taken: ${how}.`);
  return warn(`Mail to postmaster@ or abuse@ waits to be read: ${how}.`);
}
