import type { AliasWire, ConfirmationState } from "@kauke/contract";
import { Check, CircleAlert } from "lucide-react";
import { messageOf } from "../../../api/error-text.ts";
import { useAskConfirmation, useResumeMailbox } from "../../../api/mailboxes.ts";
import { t } from "../../../texts/texts.ts";
import { refusalText } from "../../../ui/text/refusal-text.ts";
import { showFailure, showToast } from "../../../ui/toast-store.ts";
import { useForwarding } from "../../forwarding/NeedsEngine.tsx";
import { entriesOf, isUrl } from "../alias-text.ts";

function TryAgain({ userId, address }: { userId: string; address: string }) {
  const resume = useResumeMailbox(userId);
  const onClick = () => {
    if (resume.isPending) return;
    resume.mutate(address, {
      onSuccess: () =>
        showToast({ title: t("Mailbox Resumed"), description: t("Mail goes to {address} again.", { address }) }),
      onError: (error) => showFailure(t("Not Resumed"), messageOf(error, t("The mailbox could not be resumed"))),
    });
  };
  return (
    <button
      type="button"
      className="link"
      aria-disabled={resume.isPending || undefined}
      aria-label={t("Try again: {address}", { address })}
      onClick={onClick}
    >
      {resume.isPending ? t("Resuming...") : t("Try again")}
    </button>
  );
}

export type EntryState = ConfirmationState | "suspended" | "paused" | "webhook";

/** State of one of the alias' destinations. */
export function entryState(alias: AliasWire, entry: string): EntryState {
  if (alias.pausedWebhooks?.includes(entry)) return "paused";
  if (isUrl(entry)) return "webhook";
  if (alias.suspended?.includes(entry)) return "suspended";
  return alias.unconfirmed?.find((mailbox) => mailbox.address === entry)?.state ?? "confirmed";
}

/** States that need nobody's attention have no words in a row. */
export type OpenState = Exclude<EntryState, "confirmed" | "webhook">;

export const isOpen = (state: EntryState): state is OpenState => state !== "confirmed" && state !== "webhook";

export const stateWords: Record<OpenState, string> = {
  new: t("not confirmed"),
  asked: t("not confirmed"),
  refused: t("refused"),
  blocked: t("refused"),
  suspended: t("suspended"),
  paused: t("gone"),
};

const texts: Record<OpenState, string> = {
  suspended: t("Suspended: its mail host says there is no such mailbox."),
  paused: t("Paused - gone (410). Save it again to resume."),
  new: t("Not confirmed yet. We ask at the first message."),
  asked: t("Not confirmed yet. It gets only a few messages until then."),
  refused: t("Refused: its reader says it is not yours."),
  blocked: t("Refused: its reader takes no mail from here."),
};

/** A provider does not let a few messages through. */
const textsWithProvider: Record<OpenState, string> = {
  ...texts,
  new: t("Not confirmed yet. We ask now."),
  asked: t("Not confirmed yet. It gets nothing until then."),
};

function AskAgain({ userId, address }: { userId: string; address: string }) {
  const ask = useAskConfirmation(userId);
  const onClick = () => {
    if (ask.isPending) return;
    ask.mutate(address, {
      onSuccess: () =>
        showToast({ title: t("Confirmation Sent"), description: t("Look for our message in {address}.", { address }) }),
      onError: (error) => showFailure(t("Not Sent"), refusalText(error, t("The confirmation could not be sent"))),
    });
  };
  return (
    <button
      type="button"
      className="link"
      aria-disabled={ask.isPending || undefined}
      aria-label={`${ask.isPending ? t("Sending...") : t("Ask again")}: ${address}`}
      onClick={onClick}
    >
      {ask.isPending ? t("Sending...") : t("Ask again")}
    </button>
  );
}

/** The whole sentences about destinations that need attention. */
export function useStateText(): (state: OpenState) => string {
  const provider = useForwarding();
  return (state) => (provider === null ? texts : textsWithProvider)[state];
}

interface Props {
  userId: string;
  address: string;
  state: EntryState;
}

/** A destination's state in the alias panel, with what can be done about it. */
export function DestinationNote({ userId, address, state }: Props) {
  const textOf = useStateText();
  if (state === "webhook") return null;
  if (!isOpen(state))
    return (
      <span className="ok">
        <Check className="i" aria-hidden />
        {t("confirmed")}
      </span>
    );
  return (
    <>
      <span className="ask">
        <CircleAlert className="i" aria-hidden />
        {stateWords[state]}
      </span>
      {state === "asked" ? <AskAgain userId={userId} address={address} /> : null}
      {state === "suspended" ? <TryAgain userId={userId} address={address} /> : null}
      <span className="why">{textOf(state)}</span>
    </>
  );
}

/** The row's one line names the first destination, and the worst state of all. */
export function RowState({ alias }: { alias: AliasWire }) {
  const textOf = useStateText();
  const open = entriesOf(alias.forwardTo).flatMap((entry) => {
    const state = entryState(alias, entry);
    return isOpen(state) ? [{ entry, state }] : [];
  });
  const [worst] = open.toSorted((a, b) => severity.indexOf(a.state) - severity.indexOf(b.state));
  if (worst === undefined) return null;
  const said = open.map(({ entry, state }) => `${entry}: ${textOf(state)}`).join(" ");
  return (
    <span className="ask" data-tip={said}>
      <CircleAlert className="i" aria-hidden />
      {stateWords[worst.state]}
      <span className="sr">. {said}</span>
    </span>
  );
}

const severity: readonly OpenState[] = ["suspended", "refused", "blocked", "paused", "asked", "new"];
