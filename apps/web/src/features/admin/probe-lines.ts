/** A proof of mail as lines with a state, and a sentence of what it means where it is not good. */
import type { MailProbeWire } from "@kauke/contract";
import { isMailProven } from "@kauke/contract/mail-probe";
import { plural } from "../../texts/plural.ts";
import { t } from "../../texts/texts.ts";
import type { LineMark } from "./AdminParts.tsx";

export interface ProbeLine {
  mark: LineMark;
  title: string;
  /** Protocol value, shown as it was received, e.g. `TLSv1.3` or `pass`. */
  value?: string;
  /** What it means, and what to do; `[Domains]` links to that section. */
  text?: string;
}

type Arrived = NonNullable<MailProbeWire["arrived"]>;
type Authentication = Arrived["theirs"];
type Method = keyof Authentication;

const methods = [
  ["spf", "SPF"],
  ["dkim", "DKIM"],
  ["dmarc", "DMARC"],
] as const satisfies readonly (readonly [Method, string])[];

const waiting = (title: string, text?: string): ProbeLine => ({ mark: "wait", title, ...(text ? { text } : {}) });

/** Seconds after which a message is late. */
const LATE_SECONDS = 120;

const certificateLines: Record<Arrived["certificate"], ProbeLine> = {
  valid: { mark: "ok", title: t("The certificate is valid for the mail host") },
  untrusted: {
    mark: "fix",
    title: t("No known authority stands for the certificate"),
    text: t(
      "Hosts that check it do not deliver here: its issuer is unknown, or the chain to it is not whole. See [Certificates].",
    ),
  },
  self_signed: {
    mark: "fix",
    title: t("The certificate is self-signed"),
    text: t(
      "Most mail still arrives, but hosts that insist on a verified one do not deliver here. See [Certificates].",
    ),
  },
  wrong_name: {
    mark: "fix",
    title: t("The certificate is for another name"),
    text: t("Hosts that check it do not deliver here: it has to name the mail host. See [Certificates]."),
  },
  expired: {
    mark: "fix",
    title: t("The certificate has expired"),
    text: t("Hosts that check it do not deliver here any more. See [Certificates]."),
  },
  not_checked: {
    mark: "fix",
    title: t("Our certificate could not be read"),
    text: t("So nothing shows that others can trust it. See [Certificates], and the port checks in the [Overview]."),
  },
};

function encryptionLine({ tlsVersion, cipher }: Arrived): ProbeLine {
  if (tlsVersion === null)
    return {
      mark: "fix",
      title: t("It came unencrypted"),
      text: t(
        "Anybody on the way could read it. Either the other host never encrypts, or STARTTLS does not work here: see the port checks in the [Overview].",
      ),
    };
  return { mark: "ok", title: t("It came encrypted"), value: [tlsVersion, cipher].filter(Boolean).join(", ") };
}

/** Their results are about the other host, so nothing has to be fixed at this server. */
const theirTexts: Record<Method, string> = {
  spf: t(
    "Their domain does not list the host that delivered it. Of a large provider this is rare: then this server may not see the real address of clients, for example behind a proxy.",
  ),
  dkim: t("Their signature is missing or was damaged on its way. Nothing has to be done here."),
  dmarc: t("Their domain's policy is not met. Nothing has to be done here."),
};

const uncheckedText = t(
  "Mostly because DNS did not answer in time. If it happens again, see the DNS checks in the [Overview].",
);

function theirLine(theirs: Authentication, [method, name]: (typeof methods)[number]): ProbeLine {
  const result = theirs[method];
  if (result === "pass") return { mark: "ok", title: t("Their {name} is right", { name }), value: "pass" };
  if (result === "none") return { mark: "none", title: t("They have no {name}", { name }), value: "none" };
  if (result === "unknown")
    return { mark: "none", title: t("Their {name} could not be checked", { name }), text: uncheckedText };
  return { mark: "warn", title: t("Their {name} failed", { name }), value: "fail", text: theirTexts[method] };
}

export function arrivalLines({ arrived }: MailProbeWire, isOver: boolean): ProbeLine[] {
  if (arrived === null) {
    const titles = [t("Encryption"), t("Our certificate"), t("Their SPF, DKIM and DMARC")];
    const nothing: ProbeLine = isOver
      ? {
          mark: "fix",
          title: t("No message came within a day"),
          text: t(
            "Others can't reach port 25 of this server, or its MX record is wrong: see the [Overview] and [Domains].",
          ),
        }
      : waiting(
          t("Your message arrives"),
          t("Most need less than a minute. If none comes, look for an error message in your mailbox."),
        );
    return [nothing, ...titles.map((title) => waiting(title))];
  }
  const seconds = Math.round(arrived.seconds);
  const late = t("Slow, but whole: some hosts let a new server wait.");
  return [
    {
      mark: "ok",
      title: plural(seconds, "It arrived after {count} second", "It arrived after {count} seconds", { count: seconds }),
      ...(seconds > LATE_SECONDS ? { text: late } : {}),
    },
    encryptionLine(arrived),
    certificateLines[arrived.certificate],
    ...methods.map((method) => theirLine(arrived.theirs, method)),
  ];
}

const answerLines: Record<NonNullable<MailProbeWire["answer"]>, (problem: string | null) => ProbeLine> = {
  queued: (problem) =>
    waiting(
      t("Our reply is on its way"),
      problem === null
        ? t("Their host has not taken it yet. It is tried again by itself.")
        : `${problem} ${t("It is tried again by itself: the [Queue] shows when.")}`,
    ),
  taken: () => ({ mark: "ok", title: t("Their host took our reply") }),
  refused: (problem) => ({
    mark: "fix",
    title: t("Their host refused our reply"),
    text: `${problem ?? t("It gave no reason.")} ${t("Put right what is to fix in the [Overview], then start over.")}`,
  }),
  not_sent: (problem) => ({
    mark: "fix",
    title: t("No reply was sent"),
    text: `${problem ?? t("The server gave no reason.")} ${t("Put that right, or write from another mailbox, and start over.")}`,
  }),
};

export function replyLines({ answer, answerProblem, returned }: MailProbeWire): ProbeLine[] {
  const sent = answer === null ? waiting(t("Our reply leaves")) : answerLines[answer](answerProblem);
  const back: ProbeLine = returned
    ? { mark: "ok", title: t("Your reply to it came back") }
    : waiting(
        t("Your reply to it comes back"),
        answer === "taken" ? t("Open our message and reply to it. Any text will do.") : undefined,
      );
  return [sent, back];
}

const ourTexts: Record<Method, string> = {
  spf: t("They do not take this server for one that may send as your domain: check the SPF record, see [Domains]."),
  dkim: t("They could not verify our signature: check the DKIM record, see [Domains]."),
  dmarc: t(
    "Neither SPF nor DKIM stood for your domain: put those right first, then check the DMARC record, see [Domains].",
  ),
};

function ourLine(ours: Authentication, [method, name]: (typeof methods)[number]): ProbeLine {
  const result = ours[method];
  if (result === "pass") return { mark: "ok", title: t("Our {name} is right", { name }), value: "pass" };
  if (result === "unknown")
    return {
      mark: "warn",
      title: t("They do not say how they judged our {name}", { name }),
      text: t("Paste the whole header of our message here, or start over from a mailbox at a large provider."),
    };
  const title = result === "none" ? t("They found no {name} of ours", { name }) : t("Our {name} failed", { name });
  return { mark: "fix", title, value: result, text: ourTexts[method] };
}

export function judgementLines({ ours, inSpam }: MailProbeWire): ProbeLine[] {
  const folder: ProbeLine =
    inSpam === null
      ? waiting(t("Inbox or spam folder"))
      : inSpam
        ? {
            mark: "fix",
            title: t("It lay in the spam folder"),
            text: t(
              "New servers are distrusted for some weeks. Mark it as no spam; if all else here is good, it gets better with every wanted message.",
            ),
          }
        : { mark: "ok", title: t("It lay in the inbox") };
  const judged =
    ours === null ? [waiting(t("Our SPF, DKIM and DMARC"))] : methods.map((method) => ourLine(ours, method));
  return [...judged, folder];
}

export interface ProbeHeadline {
  mark: LineMark;
  title: string;
  text: string;
}

/** The step that a running proof waits for, as a headline and as a sentence of one that has faults. */
function stepOf({ arrived, answer, returned }: MailProbeWire): { title: string; text: string } {
  if (arrived === null)
    return { title: t("Waiting for your message"), text: t("The proof goes on: write to its address.") };
  if (answer !== "taken")
    return {
      title: t("Mail comes in. Our reply is on its way"),
      text: t("The proof goes on: our reply is on its way."),
    };
  if (!returned)
    return {
      title: t("Mail goes both ways. Now reply to our message"),
      text: t("The proof goes on: now reply to our message."),
    };
  return {
    title: t("Nearly done: say how our message looked"),
    text: t("The proof goes on: say how our message looked."),
  };
}

/** One sentence about a whole proof, and what to do next. The server says what counts as proven. */
export function probeHeadline(probe: MailProbeWire, isOver: boolean): ProbeHeadline {
  if (isMailProven(probe))
    return {
      mark: "ok",
      title: t("Mail works both ways"),
      text: t("It comes in encrypted, and ours passes every check."),
    };
  const lines = [...arrivalLines(probe, isOver), ...replyLines(probe), ...judgementLines(probe)];
  const bad = lines.filter(({ mark }) => mark === "fix").length;
  const goesOn = !isOver && probe.answer !== "refused" && probe.answer !== "not_sent";
  const isWaiting = goesOn && lines.some(({ mark }) => mark === "wait");
  if (bad > 0) {
    const title = plural(bad, "{count} thing to fix", "{count} things to fix", { count: bad });
    return { mark: "fix", title, text: isWaiting ? stepOf(probe).text : t("After that, start over.") };
  }
  if (isOver)
    return { mark: "none", title: t("This proof is over"), text: t("It ran for a day. Start over to try again.") };
  if (isWaiting)
    return {
      mark: "wait",
      title: stepOf(probe).title,
      text: t("This page fills by itself; you can leave it and come back."),
    };
  return {
    mark: "warn",
    title: t("Not proven yet: they say too little about our mail"),
    text: t("Paste the whole header of our message, or start over from a mailbox at a large provider."),
  };
}
