import type { Config } from "../../settings/config.ts";
import type { ServerFacts } from "../control/control-protocol.ts";
import { type CheckResult, checking } from "./check-result.ts";

const HOUR_MS = 3_600_000;
/** A delivery this old has failed many times, but its owner is notified only when the retry schedule ends. */
const LONG_MS = 24 * HOUR_MS;
const MIB = 1024 ** 2;
/** Maximum stored messages to postmaster@ and abuse@; the oldest are evicted. */
const KEPT_MAX = 1000;

export function checkServer(facts: ServerFacts, { isRunning, now }: { isRunning: boolean; now: Date }): CheckResult[] {
  return [
    checkRunning(facts, isRunning),
    checkStore(facts),
    checkRegistration(facts),
    checkDelivery(facts),
    checkQueue(facts, now),
    checkRotation(facts),
    // With a provider, what is stored came before the switch; the copies there are checked apart.
    ...(facts.provider !== null && facts.keptForOperator === 0 ? [] : [checkKept(facts)]),
  ];
}

function checkRunning({ database, version, services }: ServerFacts, isRunning: boolean): CheckResult {
  const { ok, warn, fix } = checking("server", "process");
  if (isRunning) return ok(`Kauke ${version} runs here: ${services.join(", ")}.`);
  return database === "embedded"
    ? fix("No server uses this data directory, so no port was checked: start it with npm start.")
    : warn("No server uses this data directory, so no port was checked; others may run elsewhere.");
}

function checkStore({ isSound }: ServerFacts): CheckResult {
  const { ok, fix } = checking("store", "database");
  return isSound
    ? ok("It can be opened and written.")
    : fix("A write to disk failed, so all mail is deferred: repair the disk, then restart the server.");
}

export function checkRegistration({
  registration,
  isOpenToStrangers,
}: Pick<ServerFacts, "registration" | "isOpenToStrangers">): CheckResult {
  const { ok, warn } = checking("registration", registration);
  if (registration === "closed") return ok("Nobody can create an account.");
  if (registration === "invite") return ok("Accounts are made by invitation: `kauke users invite` prints a link.");
  if (!isOpenToStrangers)
    return ok("Whoever uses this machine can create an account; nobody else reaches the web app.");
  return warn(
    "Everybody who finds this server can create an account: set KAUKE_REGISTRATION to invite or closed, unless you want that.",
  );
}

function checkDelivery({ delivery }: ServerFacts): CheckResult {
  const { ok, warn } = checking("delivery", delivery);
  if (delivery !== "preview") return ok("Mail is sent to other hosts.");
  return warn(
    "No mail is sent to other hosts, so DNS was not checked: set KAUKE_DELIVERY to direct or relay to use real addresses.",
  );
}

function checkQueue({ queue: { open, oldestAt, messageBytes } }: ServerFacts, now: Date): CheckResult {
  const { ok, warn } = checking("queue", `${open} open`);
  if (oldestAt === null) return ok("The queue is empty.");
  const waitedMs = now.getTime() - new Date(oldestAt).getTime();
  const says = `${(messageBytes / MIB).toFixed(1)} MiB are queued, the oldest message since ${oldestAt.slice(0, 16).replace("T", " ")} UTC`;
  if (waitedMs < LONG_MS) return ok(`${says}.`);
  return warn(`${says}: destinations do not answer, or this machine can't reach port 25 of others.`);
}

function checkRotation({ rotation: { isOpen, step, resealed, total } }: ServerFacts): CheckResult {
  const { ok, warn } = checking("keys", "sealing key");
  if (!isOpen) return ok("No rotation is in progress: every row is sealed by the newest key.");
  const soFar = step === "reseals" && total !== null ? ` ${resealed} of ${total} rows are resealed.` : "";
  return warn(`A rotation is in progress.${soFar} It continues by itself while a server runs.`);
}

function checkKept({ keptForOperator, postmasterGiven }: ServerFacts): CheckResult {
  const { ok, warn, fix } = checking("operator-mail", `${keptForOperator} kept`);
  if (keptForOperator === 0)
    return postmasterGiven
      ? ok("Mail to postmaster@ and abuse@ goes to KAUKE_POSTMASTER.")
      : ok("There is no unread mail to postmaster@ or abuse@; set KAUKE_POSTMASTER to get it in a mailbox.");
  const how = "read it with `kauke doctor --mail`, and set KAUKE_POSTMASTER to get it in a mailbox";
  if (keptForOperator >= KEPT_MAX)
    return fix(`So much mail to postmaster@ and abuse@ is stored that the oldest is deleted for new mail: ${how}.`);
  return warn(`There is unread mail to postmaster@ or abuse@: ${how}.`);
}

const settingOf: Readonly<Record<keyof Config["links"], string>> = {
  docs: "KAUKE_LINK_DOCS",
  social: "KAUKE_LINK_SOCIAL",
  video: "KAUKE_LINK_VIDEO",
  reviews: "KAUKE_LINK_REVIEWS",
  feedback: "KAUKE_LINK_FEEDBACK",
  smtpGuide: "KAUKE_LINK_SMTP_GUIDE",
};

/** Names under .test do not resolve (RFC 6761 §6.2). */
const isExample = (link: string): boolean => URL.canParse(link) && new URL(link).hostname.endsWith(".test");

/** Settings with links to an example site, e.g. `["KAUKE_LINK_VIDEO"]`. */
export function exampleLinks(links: Config["links"]): string[] {
  const names = Object.keys(settingOf) as (keyof Config["links"])[];
  return names.filter((name) => isExample(links[name])).map((name) => settingOf[name]);
}

export function checkPages(facts: Pick<ServerFacts, "exampleLinks" | "logDaysGiven">): CheckResult[] {
  return [checkLinks(facts.exampleLinks), checkLogs(facts.logDaysGiven)];
}

function checkLinks(settings: readonly string[]): CheckResult {
  const { ok, warn } = checking("links", "footer and feedback");
  if (settings.length === 0) return ok("No link points to an example address.");
  return warn(`Links point to example addresses: set ${settings.join(", ")}.`);
}

function checkLogs(logDaysGiven: boolean): CheckResult {
  const { ok, warn } = checking("logs", "privacy policy");
  if (logDaysGiven) return ok("It states the retention of KAUKE_LOG_DAYS.");
  return warn(
    "It states that technical logs are kept for at most 90 days: set KAUKE_LOG_DAYS to the number of days after which this machine deletes its logs.",
  );
}
