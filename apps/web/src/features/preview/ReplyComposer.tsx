/** Replies as the mailbox's owner, through the alias. */
import type { PreviewMessage } from "@kauke/contract";
import { Reply, ReplyAll } from "lucide-react";
import { type FormEvent, useId, useState } from "react";
import { fieldMessages, messageOf } from "../../api/api-error.ts";
import { useReplyToPreview } from "../../api/preview.ts";
import { Button } from "../../ui/Controls.tsx";
import { FieldError } from "../../ui/Field.tsx";
import { SubmitButton } from "../../ui/SubmitButton.tsx";
import { showToast } from "../../ui/toast-store.ts";
import { replyHint } from "./plain-words.ts";

/** Whom the reply goes to; `null` while the composer is closed. */
export type ReplyTo = "author" | "all" | null;

export function ReplyButtons({ replyTo, onChoose }: { replyTo: ReplyTo; onChoose: (replyTo: ReplyTo) => void }) {
  return (
    <div className="reply-buttons">
      <Button isSmall icon={Reply} aria-pressed={replyTo === "author"} onClick={() => onChoose("author")}>
        Reply
      </Button>
      <Button isSmall icon={ReplyAll} aria-pressed={replyTo === "all"} onClick={() => onChoose("all")}>
        Reply all
      </Button>
    </div>
  );
}

interface Props {
  message: PreviewMessage;
  all: boolean;
  onClose: () => void;
}

function useSending({ message, all, onClose }: Props) {
  const [text, setText] = useState("");
  const reply = useReplyToPreview(message.id);
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (reply.isPending) return;
    const onSuccess = () => {
      showToast({ title: "Reply Sent", description: "It appears in the list once it is delivered." });
      onClose();
    };
    reply.mutate({ text, all }, { onSuccess });
  };
  const [refused] = fieldMessages(reply.error);
  const error = reply.error === null ? undefined : (refused?.[1] ?? messageOf(reply.error, "The reply was not sent."));
  return { text, setText, onSubmit, error, pending: reply.isPending };
}

export function ReplyComposer(props: Props) {
  const id = useId();
  const { text, setText, onSubmit, error, pending } = useSending(props);
  const { message, all, onClose } = props;
  return (
    <form className="reply" onSubmit={onSubmit} noValidate aria-label={all ? "Reply all" : "Reply"}>
      <div className="message-text">
        <label className="label-in" htmlFor={id}>
          Your answer
        </label>
        <textarea
          id={id}
          className="input"
          rows={6}
          autoFocus
          value={text}
          onChange={(event) => setText(event.target.value)}
          aria-invalid={error ? true : undefined}
          aria-describedby={error ? `${id}-error` : `${id}-hint`}
        />
        <p className="hint" id={`${id}-hint`}>
          {replyHint(message, all)}
        </p>
        <FieldError id={`${id}-error`}>{error}</FieldError>
      </div>
      <div className="card-foot two">
        <Button look="quiet" disabled={pending} onClick={onClose}>
          Cancel
        </Button>
        <SubmitButton className="btn-primary" pending={pending} pendingLabel="Sending...">
          Send Reply
        </SubmitButton>
      </div>
    </form>
  );
}
