import { accountDomainStates } from "@kauke/contract";
import type { ServerFacts } from "../control/control-protocol.ts";
import { type CheckResult, checking } from "./check-result.ts";

/** So many domains at once are hardly the doing of their owners. */
const MANY = 3;

/** Nothing while no account has proven one. */
export function checkOwnDomains({ ownDomains }: Pick<ServerFacts, "ownDomains">): CheckResult[] {
  const { proven, failing, suspended, closed } = ownDomains;
  const wrong = failing + suspended + closed;
  if (proven + wrong === 0) return [];
  const counts = accountDomainStates.filter((state) => ownDomains[state] > 0);
  const { ok, warn } = checking("own-domains", counts.map((state) => `${ownDomains[state]} ${state}`).join(", "));
  return [wrong >= MANY && wrong > proven ? warn(mostWrong) : ok("Their records are looked up daily.")];
}

const mostWrong =
  "Most own domains of accounts have wrong records: after a change of KAUKE_MAIL_HOST their owners must change the MX records; otherwise check the DNS servers that this server asks.";
