/** Replies as the mailbox's owner, through the alias. */
import type { PreviewMessage } from "@kauke/contract";
import { Forward, Reply, ReplyAll } from "lucide-react";
import { type FormEvent, useId, useState } from "react";
import { fieldMessages, messageOf } from "../../api/error-text.ts";
import { useReplyToPreview } from "../../api/preview.ts";
import { t } from "../../texts/texts.ts";
import { Button } from "../../ui/Controls.tsx";
import { FieldError, TextField, verbatim } from "../../ui/Field.tsx";
import { SubmitButton } from "../../ui/SubmitButton.tsx";
import { showToast } from "../../ui/toast-store.ts";
import { forwardHint, replyHint } from "./plain-words.ts";

/** Whom the reply goes to; `null` while the composer is closed. */
export type ReplyTo = "author" | "all" | "somebody" | null;

export function ReplyButtons({ replyTo, onChoose }: { replyTo: ReplyTo; onChoose: (replyTo: ReplyTo) => void }) {
  return (
    <div className="reply-buttons">
      <Button isSmall icon={Reply} aria-pressed={replyTo === "author"} onClick={() => onChoose("author")}>
        {t("Reply")}
      </Button>
      <Button isSmall icon={ReplyAll} aria-pressed={replyTo === "all"} onClick={() => onChoose("all")}>
        {t("Reply all")}
      </Button>
      <Button isSmall icon={Forward} aria-pressed={replyTo === "somebody"} onClick={() => onChoose("somebody")}>
        {t("Forward")}
      </Button>
    </div>
  );
}

interface Props {
  message: PreviewMessage;
  replyTo: NonNullable<ReplyTo>;
  onClose: () => void;
}

const names = { author: t("Reply"), all: t("Reply all"), somebody: t("Forward") } as const;

function useSending({ message, replyTo, onClose }: Props) {
  const [text, setText] = useState("");
  const [forwardTo, setForwardTo] = useState("");
  const isForward = replyTo === "somebody";
  const reply = useReplyToPreview(message.id);
  const close = () => {
    onClose();
    document.querySelector<HTMLElement>(".reply-buttons [aria-pressed=true]")?.focus();
  };
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (reply.isPending) return;
    const onSuccess = () => {
      showToast({
        title: isForward ? t("Message Forwarded") : t("Reply Sent"),
        description: t("It appears in the list once it is delivered."),
      });
      close();
    };
    reply.mutate({ text, all: replyTo === "all", ...(isForward && { forwardTo }) }, { onSuccess });
  };
  const refused = new Map<string, string>(fieldMessages(reply.error));
  const toError = refused.get("forwardTo");
  const other =
    refused.get("text") ?? (toError === undefined ? messageOf(reply.error, t("It was not sent.")) : undefined);
  const error = reply.error === null ? undefined : other;
  return { text, setText, forwardTo, setForwardTo, onSubmit, error, toError, close, pending: reply.isPending };
}

export function ReplyComposer(props: Props) {
  const id = useId();
  const { text, setText, forwardTo, setForwardTo, onSubmit, error, toError, close, pending } = useSending(props);
  const { message, replyTo } = props;
  const isForward = replyTo === "somebody";
  return (
    <form className="reply" onSubmit={onSubmit} noValidate aria-label={names[replyTo]}>
      {isForward ? (
        <div className="forward-to">
          <TextField
            label={t("Forward to")}
            {...verbatim}
            inputMode="email"
            error={toError}
            value={forwardTo}
            autoFocus
            onChange={(event) => setForwardTo(event.target.value)}
          />
        </div>
      ) : null}
      <div className="message-text">
        <label className="label-in" htmlFor={id}>
          {isForward ? t("Your message") : t("Your answer")}
        </label>
        <textarea
          id={id}
          className="input"
          rows={6}
          autoFocus={!isForward}
          value={text}
          onChange={(event) => setText(event.target.value)}
          aria-invalid={error ? true : undefined}
          aria-describedby={error ? `${id}-error` : `${id}-hint`}
        />
        <p className="hint" id={`${id}-hint`}>
          {isForward ? forwardHint(message) : replyHint(message, replyTo === "all")}
        </p>
        <FieldError id={`${id}-error`}>{error}</FieldError>
      </div>
      <div className="card-foot two">
        <Button look="quiet" disabled={pending} onClick={close}>
          {t("Cancel")}
        </Button>
        <SubmitButton className="btn-primary" pending={pending} pendingLabel={t("Sending...")}>
          {isForward ? t("Forward Message") : t("Send Reply")}
        </SubmitButton>
      </div>
    </form>
  );
}
