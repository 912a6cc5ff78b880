/** Result of a trial connection to the relay. */
import type { FailureCode } from "../../core/delivery/delivery.ts";
import type { SmtpStage } from "../../mail/classify-reply.ts";
import type { RelayState } from "../../mail/transport/relay-transport.ts";
import { type CheckResult, checking } from "./check-result.ts";

const SETTING = "KAUKE_RELAY_URL";

/** Turns the state of the relay into check results. @param state `null` if mail is not sent through a relay */
export function checkRelay(state: RelayState | null): CheckResult[] {
  if (state === null) return [];
  const { ok, fix } = checking("relay", "connection");
  if (state.kind === "ready")
    return [ok(`It accepts our login and our sender (reply ${state.replyCode}). No message was sent.`)];
  const said = state.replyCode === null ? "" : ` (reply ${state.replyCode})`;
  return [fix(`${sentenceFor(state)}${said}, so no mail leaves: ${adviceFor(state)}`)];
}

type Failed = Extract<RelayState, { kind: "failed" }>;

const lost: Partial<Record<FailureCode, string>> = {
  dns_failed: "DNS gave no answer about its name",
  unreachable: "It can't be reached",
  timed_out: "It did not answer in time",
  tls_failed: "No secure connection to it could be made",
  connection_lost: "It ended the connection",
};

const refused: Partial<Record<SmtpStage, string>> = {
  auth: "It refused the login",
  mail: "It refused our sender",
};

function sentenceFor({ stage, code, replyCode }: Failed): string {
  if (stage === "auth" && replyCode === null) return "It offers neither AUTH PLAIN nor AUTH LOGIN";
  if (replyCode === null) return lost[code] ?? "It does not speak SMTP";
  return (stage === "connect" ? undefined : refused[stage]) ?? "It refused the connection";
}

function adviceFor({ stage, code }: Failed): string {
  if (stage === "auth") return `correct user and password in ${SETTING}, and restart.`;
  if (stage === "mail") return "ask its operator which sender domains it accepts.";
  if (code === "dns_failed" || code === "unreachable")
    return `check host and port in ${SETTING}, KAUKE_DNS_SERVERS, and the firewall.`;
  if (code === "tls_failed") return `check scheme and port in ${SETTING}, and the relay's certificate.`;
  return "ask its operator why.";
}
