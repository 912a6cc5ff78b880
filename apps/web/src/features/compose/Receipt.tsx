/** Stands in the form's place after sending, and shows what becomes of the message. */
import { Check, CircleAlert, Clock } from "lucide-react";
import { useEffect, useRef } from "react";
import { said } from "../../texts/said.ts";
import { rich, t } from "../../texts/texts.ts";
import { Button } from "../../ui/Controls.tsx";
import { addressOf } from "../aliases/alias-text.ts";
import { type Progress, useJobProgress } from "./job-tracker.ts";
import { closeReceipt, type Sent } from "./letter-store.ts";
import { letterAddresses, namesOf } from "./recipients.ts";
import { dashboardLink } from "./SenderHint.tsx";
import { dayAndTime } from "./schedule.ts";
import type { ComposeProps } from "./use-send.ts";

interface Props extends Pick<ComposeProps, "senders"> {
  sent: Sent;
}

/** @example receiptState(undefined, null) // "It leaves in a moment." */
export function receiptState(progress: Progress | undefined, scheduledAt: string | null): string {
  const { status = "pending", lastError = null, currentRetries = 0 } = progress ?? {};
  if (status === "sent") return t("The recipient's server has it.");
  if (status === "failed") return lastError === null ? t("Unknown error") : said(lastError);
  if (status === "cancelled") return t("It was cancelled and will not be sent.");
  if (status === "sending") return t("It is being sent.");
  if (currentRetries > 0) return t("It is tried again. {reason}", { reason: said(lastError ?? "") }).trim();
  return scheduledAt === null
    ? t("It leaves in a moment.")
    : t("It leaves {time}.", { time: dayAndTime(new Date(scheduledAt)) });
}

function titleOf(status: string, recipients: string): string {
  if (status === "sent") return t("Sent to {recipients}", { recipients });
  return status === "failed" || status === "cancelled"
    ? t("Not sent to {recipients}", { recipients })
    : t("On its way to {recipients}", { recipients });
}

export function Receipt({ sent: { jobId, letter, madeCredentials, height }, senders }: Props) {
  const panel = useRef<HTMLElement>(null);
  const progress = useJobProgress()[jobId];
  const sender = senders?.find(({ id }) => id === letter.fromAlias);
  const status = progress?.status ?? "pending";
  const Icon = status === "sent" ? Check : status === "failed" ? CircleAlert : Clock;
  useEffect(() => {
    panel.current?.focus({ preventScroll: true });
    panel.current?.scrollIntoView({ block: "nearest" });
  }, []);
  return (
    <section
      className={`card compose receipt ${status}`}
      ref={panel}
      tabIndex={-1}
      aria-labelledby="receipt-title"
      // As high as the form was, so that nothing below it moves.
      style={{ minHeight: height }}
    >
      <h2 id="receipt-title">
        <Icon className="i i-20" aria-hidden />
        <span>{titleOf(status, namesOf(letterAddresses(letter)))}</span>
      </h2>
      <p role="status">{receiptState(progress, letter.scheduledAt)}</p>
      <dl>
        <dt>{t("Subject")}</dt>
        <dd>{letter.subject}</dd>
        <dt>{t("From")}</dt>
        <dd className="mono">{sender === undefined ? "" : addressOf(sender)}</dd>
      </dl>
      {madeCredentials && sender !== undefined ? (
        <p className="hint">
          {rich(
            "SMTP credentials for {alias} were made. For a mail program, their password is under SMTP in the <link>Dashboard</link>.",
            { alias: <span className="mono">{addressOf(sender)}</span>, link: dashboardLink },
          )}
        </p>
      ) : null}
      <Button look="primary" onClick={closeReceipt}>
        {t("Write Another")}
      </Button>
    </section>
  );
}
