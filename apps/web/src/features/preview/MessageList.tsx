import type { PreviewSummary } from "@kauke/contract";
import { ArrowRight, Paperclip } from "lucide-react";
import { preciseTimeText, sizeText } from "../../ui/text/time-text.ts";

interface Props {
  messages: readonly PreviewSummary[];
  selectedId: string | null;
  onSelect: (id: string) => void;
}

function Summary({ message }: { message: PreviewSummary }) {
  return (
    <>
      <span className="subject">{message.subject || "(no subject)"}</span>
      <time dateTime={message.receivedAt}>{preciseTimeText(message.receivedAt)}</time>
      <span className="addr">
        {message.from || message.envelopeFrom || "<>"}{" "}
        <ArrowRight className="i inline align-middle" aria-label="to" role="img" /> <b>{message.rcptTo}</b>
      </span>
      <span className="size">
        {message.attachments > 0 ? <Paperclip className="i" role="img" aria-label="With attachments" /> : null}
        {sizeText(message.sizeBytes)}
      </span>
    </>
  );
}

/** All messages of the preview inbox in the server's order, newest first. */
export function MessageList({ messages, selectedId, onSelect }: Props) {
  return (
    <ul>
      {messages.map((message) => (
        <li key={message.id}>
          <button
            type="button"
            aria-current={message.id === selectedId ? "true" : undefined}
            onClick={() => onSelect(message.id)}
          >
            <Summary message={message} />
          </button>
        </li>
      ))}
    </ul>
  );
}
