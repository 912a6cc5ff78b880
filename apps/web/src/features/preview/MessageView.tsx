import type { PreviewMessage } from "@kauke/contract";
import { Download } from "lucide-react";
import { useState } from "react";
import { messageOf } from "../../api/api-error.ts";
import { isMissing, previewUrl, usePreviewMessage, useRawMessage } from "../../api/preview.ts";
import { MessageParts } from "../../ui/MessageParts.tsx";
import { fileSizeText, timeText } from "../../ui/text/time-text.ts";
import { ReplyButtons, ReplyComposer, type ReplyTo } from "./ReplyComposer.tsx";

function Facts({ message }: { message: PreviewMessage }) {
  return (
    <dl className="facts">
      <dt>From</dt>
      <dd>{message.from}</dd>
      <dt>Envelope</dt>
      <dd>
        {message.envelopeFrom || "<>"} to {message.rcptTo}
      </dd>
      <dt>Received</dt>
      <dd>
        {timeText(message.receivedAt)}, {fileSizeText(message.sizeBytes)}
      </dd>
    </dl>
  );
}

function Files({ message }: { message: PreviewMessage }) {
  if (message.files.length === 0) return null;
  return (
    <ul className="files" aria-label="Attachments">
      {message.files.map((file) => (
        <li key={file.index}>
          <a className="btn btn-sm" href={previewUrl(message.id, `/files/${file.index}`)} download={file.filename}>
            <Download className="i" aria-hidden />
            {file.filename || "attachment"} <span>{fileSizeText(file.sizeBytes)}</span>
          </a>
        </li>
      ))}
    </ul>
  );
}

function Raw({ id }: { id: string }) {
  const { data, error } = useRawMessage(id);
  if (error) return <p className="none">{messageOf(error, "The message could not be read.")}</p>;
  // The raw message is focusable, so that keyboards can scroll it.
  return data === undefined ? <p className="none">Loading...</p> : <pre tabIndex={0}>{data}</pre>;
}

function Html({ id }: { id: string }) {
  return (
    <iframe
      title="HTML of the message"
      sandbox="allow-popups allow-popups-to-escape-sandbox"
      referrerPolicy="no-referrer"
      src={previewUrl(id, "/html")}
    />
  );
}

export function MessageView({ id }: { id: string }) {
  const { data: message, error } = usePreviewMessage(id);
  const [replyTo, setReplyTo] = useState<ReplyTo>(null);
  if (error) {
    const text = isMissing(error)
      ? "This message is no longer here."
      : messageOf(error, "The message could not be read.");
    return <p className="none">{text}</p>;
  }
  if (message === undefined) return <p className="none">Loading...</p>;
  return (
    <>
      <div className="card-head">
        <h2>{message.subject || "(no subject)"}</h2>
        <ReplyButtons replyTo={replyTo} onChoose={setReplyTo} />
      </div>
      <Facts message={message} />
      {replyTo === null ? null : (
        <ReplyComposer message={message} all={replyTo === "all"} onClose={() => setReplyTo(null)} />
      )}
      <Files message={message} />
      <MessageParts
        text={message.text}
        html={message.hasHtml ? <Html id={message.id} /> : null}
        headers={message.headers}
        raw={<Raw id={message.id} />}
      />
    </>
  );
}
