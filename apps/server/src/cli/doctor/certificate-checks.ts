/** Missing certificates of an issuer (ACME), and what the operator can do about them. */
import type { CertificateStatus } from "../../platform/acme/certificate-issuer.ts";
import type { ServerFacts } from "../control/control-protocol.ts";
import { type CheckResult, checking } from "./check-result.ts";

/** Without these names, people enter the settings of their mail programs themselves. */
export const isForMailPrograms = ({ hosts }: Pick<CertificateStatus, "hosts">): boolean =>
  hosts.every((host) => /^auto(?:config|discover)\./.test(host));

export function checkIssued({ certificates }: Pick<ServerFacts, "certificates">): CheckResult[] {
  return (certificates ?? []).map(checkOne);
}

function checkOne(status: CertificateStatus): CheckResult {
  const { hosts, leftOut, validUntil, failure, nextOrderAt } = status;
  const { ok, warn, fix: mustFix } = checking("issued", hosts[0] ?? "");
  const fix = isForMailPrograms(status) ? warn : mustFix;
  const next = `The next order is at ${minuteOf(nextOrderAt)}.`;
  const why = failure === null ? "" : ` ${whyNot[failure]}`;
  if (validUntil === null)
    return failure === null ? warn("The first order is in progress.") : fix(`No certificate yet.${why} ${next}`);
  const until = `valid until ${validUntil.slice(0, 10)}`;
  if (leftOut.length > 0)
    return fix(`${leftOut.join(", ")}: no certificate.${why === "" ? ` ${whyNot.refused}` : why} ${next}`);
  if (failure !== null) return warn(`It is ${until}, but can't be renewed.${why} ${next}`);
  return ok(`For ${hosts.join(", ")}, ${until}, renewed by itself.`);
}

/** Why an order failed and what to do about it. */
export const whyNot: Readonly<Record<NonNullable<CertificateStatus["failure"]>, string>> = {
  no_address: "Names have no address in DNS, or lead elsewhere: set the records that `kauke domains` prints.",
  refused: "The issuer can't reach them at port 80 of this machine: check DNS, the firewall, and what listens there.",
  unreachable: "The issuer does not answer, or this machine can't reach it: check its connection to the internet.",
  rate_limited: "The issuer has had too many orders or failures for these names; it lifts that by itself.",
  account_gone: "The issuer closed the account; a new one is made with the next order.",
  response_invalid: "The issuer's responses make no sense: check KAUKE_ACME_DIRECTORY.",
};

const minuteOf = (iso: string) => `${iso.slice(0, 16).replace("T", " ")} UTC`;
