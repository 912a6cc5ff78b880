/** What a proof of mail has found, in sentences, and which one to go on with. */
import type { MailProbeWire } from "@kauke/contract";
import { isMailProven } from "@kauke/contract/mail-probe";
import type { OperatorAccess } from "./control/operator-access.ts";
import { type CheckResult, checking } from "./doctor/check-result.ts";

type Arrived = NonNullable<MailProbeWire["arrived"]>;
type Checking = ReturnType<typeof checking>;

/** Whether nothing more is awaited. */
export function isProbeOver({ answer, returned, ours }: MailProbeWire): boolean {
  return answer === "not_sent" || answer === "refused" || returned || ours !== null;
}

/** What is known so far, in the order in which it becomes known. */
export function probeResults(probe: MailProbeWire): CheckResult[] {
  const { arrived } = probe;
  if (arrived === null) return [];
  return [...wayIn(arrived, checking("mail", "in")), ...wayOut(probe, checking("mail", "out"))];
}

const certificates: Record<Arrived["certificate"], string> = {
  valid: "Our certificate is valid for the mail host's name.",
  untrusted:
    "No known authority stands for our certificate: hosts that check it refuse to send mail. `kauke doctor` says what to do.",
  self_signed:
    "Our certificate is self-signed: hosts that check it refuse to send mail. `kauke doctor` says what to do.",
  wrong_name: "Our certificate does not cover the mail host's name. `kauke doctor` says what to do.",
  expired: "Our certificate is not valid today. `kauke doctor` says what to do.",
  not_checked: "Our certificate could not be read.",
};

function wayIn({ seconds, tlsVersion, cipher, certificate, theirs }: Arrived, { ok, warn, fix }: Checking) {
  return [
    ok(`Your message arrived ${seconds} s after the start.`),
    tlsVersion === null
      ? fix("It came unencrypted: `kauke doctor` says whether STARTTLS is offered.")
      : ok(`It came encrypted: ${tlsVersion}, ${cipher}.`),
    (certificate === "valid" ? ok : fix)(certificates[certificate]),
    (Object.values(theirs).includes("fail") ? warn : ok)(`We judge it as ${resultsText(theirs)}.`),
  ];
}

function wayOut(
  { answer, answerProblem, returned, ours, inSpam }: MailProbeWire,
  { ok, warn, fix }: Checking,
): CheckResult[] {
  const results: CheckResult[] = [];
  if (answer === "queued" && answerProblem !== null) results.push(warn(answerProblem));
  if (answer === "taken") results.push(ok(answerTaken));
  if (answer === "not_sent") results.push(fix(`No answer was sent. ${answerProblem ?? ""}`));
  if (answer === "refused") results.push(fix(`Our answer did not arrive. ${answerProblem ?? ""}`));
  if (returned) results.push(ok("Your reply to it arrived."));
  if (ours !== null) {
    const state = Object.values(ours).every((result) => result === "pass") ? ok : fix;
    results.push(state(`Your mail host judged our answer as ${resultsText(ours)}.`));
  } else if (returned) {
    results.push(
      warn("It does not carry the header of our answer. Save that header as a file, then: kauke probe --headers FILE"),
    );
  }
  if (inSpam !== null) results.push(inSpam ? fix("It was in the spam folder.") : ok("It was not in the spam folder."));
  return results;
}

const answerTaken =
  "Our answer was taken: look for it in your mailbox, or in its spam folder, and reply to it, best with our message attached.";

const resultsText = ({ spf, dkim, dmarc }: Arrived["theirs"]) => `SPF ${spf}, DKIM ${dkim}, DMARC ${dmarc}`;

/** The last step of the setup. @param mailbox the operator's own, elsewhere */
export async function offerProbe(access: OperatorAccess, mailbox: string): Promise<CheckResult> {
  const { ok, warn } = checking("mail", mailbox);
  const last = await access["probe-state"]({ id: "" });
  if (last !== null && isMailProven(last)) return ok("Mail works both ways.");
  const { address } = last === null || isProbeOver(last) ? await access["probe-start"]({}) : last;
  return warn(`To prove that mail works, write from it to ${address}, then run \`kauke probe\`, which waits for it.`);
}
