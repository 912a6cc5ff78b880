/** Checks the account and the domains at the forwarding provider. */
import type { ProviderProblem } from "@kauke/contract";
import type { OperatorCopy } from "../../core/forwarding/operator-copies.ts";
import type { ProviderDomain } from "../../core/forwarding/provider-account.ts";
import type { ProviderState } from "../control/provider-reports.ts";
import { providerDomainPage } from "../provider-records.ts";
import { type CheckResult, checking } from "./check-result.ts";

/** What the operator can do about a call that failed. */
export const whatToDo: Readonly<Record<ProviderProblem, string>> = {
  unreachable:
    "It can't be reached: check this machine's connection and the provider's address. A private address must also be in KAUKE_WEBHOOK_ALLOW.",
  timed_out: "It did not respond in time: run this command again later.",
  busy: "It asked us to wait: run this command again later.",
  broken_response:
    "Its response did not arrive or makes no sense: check that the address is that of its API, and run this again later.",
  key_refused: "It refuses the API key: check it, and that the account's e-mail address is verified there.",
  plan_needed: "The account's plan does not allow it: aliases by the API need a paid plan.",
  domain_missing: "The account does not have this domain.",
  refused: "It refuses this: its web pages may say why.",
  conflict: "Somebody else has it there.",
};

/** Share of the day's messages from which the check warns. */
const NEARLY_ALL = 0.8;

/** @param state `null` with our own engine */
export function checkProvider(state: ProviderState | null): CheckResult[] {
  if (state === null) return [];
  return [
    ...checkAccount(state),
    ...state.domains.flatMap(({ domain, found, operators }) => [
      ...checkDomain(domain, found, state),
      ...checkOperators(domain, operators, state),
    ]),
    checkOutbox(state),
    ...checkQueued(state),
    checkComparison(state),
  ];
}

/** Why the checks of our own mail host are missing. */
export function explainLeftOut({ name }: Pick<ProviderState, "name">): CheckResult {
  return checking("dns", "own mail host").ok(
    `Not checked, because ${name} receives and sends: ports 25 and 587, reverse names, our MX, SPF, DKIM, DMARC and MTA-STS records.`,
  );
}

function checkAccount({ name, problem, standing }: ProviderState): CheckResult[] {
  const { ok, warn, fix } = checking("provider", name);
  if (problem !== null) return [fix(`${whatToDo[problem]} No alias is set up until then.`)];
  if (standing === null) return [];
  const { plan, sending } = standing;
  const account =
    plan === "free"
      ? fix("The account is on the plan free, whose API is closed: choose another plan there.")
      : ok(`The key is accepted${plan === null ? "" : `, and the plan is ${plan}`}.`);
  if (sending === null) return [account];
  const used = `${sending.count} of ${sending.limit} messages were sent today`;
  const isMuch = sending.count >= NEARLY_ALL * sending.limit;
  return [account, isMuch ? warn(`${used}; beyond them mail waits until tomorrow.`) : ok(`${used}.`)];
}

function checkDomain(domain: string, found: ProviderDomain | null, state: ProviderState): CheckResult[] {
  const { ok, warn, fix } = checking("provider-domain", domain);
  const page = providerDomainPage(new URL(state.url), domain) ?? "the domain's page there";
  if (found === null) return [fix("The account there does not have it: add it, e.g. with `kauke setup`.")];
  if (found.isShared)
    return [fix("The provider shares this domain between its customers, so it can't send: use a domain of your own.")];
  return [
    found.hasMxRecord && found.hasTxtRecord
      ? ok("Its MX and TXT records are right.")
      : fix(`Its ${missingRecords(found)} not right, so mail is not forwarded: ${page} lists them.`),
    ...(found.hasCatchAll === true
      ? [
          fix(
            `It has a catch-all, so mail to unknown and deleted aliases is forwarded: delete the alias * there: ${page}`,
          ),
        ]
      : []),
    found.isSendingSuspended
      ? fix(`The provider has suspended its sending: ${page} says why.`)
      : found.maySend
        ? ok("It may send.")
        : warn(
            `It may not send yet: after its records are right, a person there approves it; ${page} says how far that is. Until then all mail waits, also what confirms mailboxes and resets passwords.`,
          ),
  ];
}

/** The pages promise that somebody reads these addresses. */
function checkOperators(
  domain: string,
  operators: readonly OperatorCopy[],
  { isPostmasterGiven }: ProviderState,
): CheckResult[] {
  const { ok, warn } = checking("provider-postmaster", domain);
  if (operators.length === 0) return [];
  const wrong = operators.filter(({ state }) => state === "missing" || state === "stale");
  if (wrong.length === 0) return [ok("Mail to postmaster@ and abuse@ is forwarded.")];
  const which = wrong.map(({ address }) => address).join(" and ");
  const forwards = wrong.every(({ state }) => state === "stale")
    ? "is forwarded to a mailbox that is not KAUKE_POSTMASTER"
    : "is refused";
  const next = isPostmasterGiven
    ? "`kauke provider repair --yes` sets them up, and so does the daily comparison"
    : "set KAUKE_POSTMASTER to a mailbox of yours, start the server again, and run `kauke provider repair --yes`";
  return [warn(`Mail to ${which} ${forwards}: ${next}.`)];
}

function missingRecords({ hasMxRecord, hasTxtRecord }: ProviderDomain): string {
  if (!hasMxRecord && !hasTxtRecord) return "MX and TXT records are";
  return hasMxRecord ? "TXT record is" : "MX record is";
}

function checkOutbox({ unpushed, figures: { waiting, failed, held } }: ProviderState): CheckResult {
  const { ok, warn } = checking("provider-aliases", `${waiting + failed} waiting`);
  const off = held === 0 ? "" : ` Active, but switched off there: ${held}; their owners see why.`;
  if (unpushed > 0)
    return warn(
      `Not there, because made before the provider was in use: ${unpushed}; run \`kauke provider push --yes\`.`,
    );
  if (failed > 0) return warn(`${failed} could not be set up, and are tried again.${off}`);
  return waiting > 0 ? ok(`${waiting} are being set up.${off}`) : ok(`All are set up.${off}`);
}

/** Mail that this server accepted while it forwarded by itself. */
function checkQueued({ forEngine }: ProviderState): CheckResult[] {
  if (forEngine === 0) return [];
  const { warn } = checking("provider-queue", `${forEngine} waiting`);
  const wait = forEngine === 1 ? "1 queued delivery waits" : `${forEngine} queued deliveries wait`;
  return [
    warn(
      `${wait} for this server's own engine, which accepted the mail, and fails when the retry schedule ends. Start it with KAUKE_FORWARDING=engine until \`kauke queue\` is empty; or set KAUKE_DELIVERY=relay and KAUKE_RELAY_URL (or KAUKE_DELIVERY=direct), and it goes out within 15 minutes.`,
    ),
  ];
}

function checkComparison({ figures: { last } }: ProviderState): CheckResult {
  const { ok, warn } = checking("provider-comparison", "daily");
  if (last === null) return ok("Not compared yet: that happens once a day, or with `kauke provider check`.");
  const at = last.at.slice(0, 16).replace("T", " ");
  return last.differences === 0
    ? ok(`Both sides agreed at ${at} UTC.`)
    : warn(`${last.differences} differences were found at ${at} UTC: \`kauke provider check\` lists them.`);
}
