import type { ConfirmationState } from "@kauke/contract";
import { ApiError, messageOf } from "../../../api/api-error.ts";
import { useAskConfirmation, useResumeMailbox } from "../../../api/mailboxes.ts";
import { timeText } from "../../../ui/text/time-text.ts";
import { showFailure, showToast } from "../../../ui/toast-store.ts";
import { useForwarding } from "../../forwarding/NeedsEngine.tsx";

/** A mailbox is suspended after its host reported that it does not exist. */
export function SuspendedMailbox({ userId, address }: { userId: string; address: string }) {
  const resume = useResumeMailbox(userId);
  const onClick = () =>
    resume.mutate(address, {
      onSuccess: () => showToast({ title: "Mailbox Resumed", description: `Mail goes to ${address} again.` }),
      onError: (error) => showFailure("Not Resumed", messageOf(error, "The mailbox could not be resumed")),
    });
  return (
    <span className="gone">
      Suspended: its mail host says there is no such mailbox.{" "}
      <button
        type="button"
        className="link"
        disabled={resume.isPending}
        aria-label={`Try again: ${address}`}
        onClick={onClick}
      >
        {resume.isPending ? "Resuming..." : "Try again"}
      </button>
    </span>
  );
}

type Open = Exclude<ConfirmationState, "confirmed">;

const texts: Record<Open, string> = {
  new: "Not confirmed yet. We ask at the first message.",
  asked: "Not confirmed yet. It gets only a few messages until then.",
  refused: "Refused: its reader says it is not yours.",
  blocked: "Refused: its reader takes no mail from here.",
};

/** A provider does not let a few messages through. */
const textsWithProvider: Record<Open, string> = {
  ...texts,
  new: "Not confirmed yet. We ask now.",
  asked: "Not confirmed yet. It gets nothing until then.",
};

function ResendButton({ userId, address }: { userId: string; address: string }) {
  const ask = useAskConfirmation(userId);
  const onClick = () =>
    ask.mutate(address, {
      onSuccess: () => showToast({ title: "Confirmation Sent", description: `Look for our message in ${address}.` }),
      onError: (error) => {
        const again =
          error instanceof ApiError && error.resetTime ? ` Try again after ${timeText(error.resetTime)}` : "";
        showFailure("Not Sent", `${messageOf(error, "The confirmation could not be sent")}${again}`);
      },
    });
  return (
    <button
      type="button"
      className="link"
      disabled={ask.isPending}
      aria-label={`Resend the confirmation to ${address}`}
      onClick={onClick}
    >
      {ask.isPending ? "Sending..." : "Resend"}
    </button>
  );
}

interface Props {
  userId: string;
  address: string;
  state: ConfirmationState;
  /** If false, the row shows a dot, because an earlier row says the mailbox' state in words. */
  isDescribed: boolean;
}

export function MailboxState({ userId, address, state, isDescribed }: Props) {
  const provider = useForwarding();
  if (state === "confirmed") return null;
  const text = (provider === null ? texts : textsWithProvider)[state];
  if (!isDescribed)
    return (
      // The dot is focusable, for its tooltip.
      <span className="open-dot" data-tip={text} tabIndex={0}>
        <span className="sr">{text}</span>
      </span>
    );
  return (
    <span className="gone">
      {text} {state === "asked" ? <ResendButton userId={userId} address={address} /> : null}
    </span>
  );
}
