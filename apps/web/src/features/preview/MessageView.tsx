/**
 * One message of the preview inbox: sender and recipients, text, HTML in a frame without any permissions, headers,
 * source, attachments.
 */
import type { PreviewMessage } from "@kauke/contract";
import { Download } from "lucide-react";
import { Tabs } from "radix-ui";
import { type ReactNode, useState } from "react";
import { messageOf } from "../../api/api-error.ts";
import { isMissing, previewUrl, usePreviewMessage, useRawMessage } from "../../api/preview.ts";
import { LinkedText } from "../../ui/LinkedText.tsx";
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

function Headers({ message }: { message: PreviewMessage }) {
  return (
    <dl className="headers">
      {message.headers.map(({ name, value }, index) => (
        // The React key is the index: a header field may occur twice, and the list never changes
        <div key={index}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Raw({ id }: { id: string }) {
  const { data, error } = useRawMessage(id);
  if (error) return <p className="none">{messageOf(error, "The message could not be read.")}</p>;
  // A scrolling region must be focusable for keyboard users
  return data === undefined ? <p className="none">Loading...</p> : <pre tabIndex={0}>{data}</pre>;
}

function Panel({ value, children }: { value: string; children: ReactNode }) {
  return (
    <Tabs.Content value={value} tabIndex={-1}>
      {children}
    </Tabs.Content>
  );
}

function Parts({ message }: { message: PreviewMessage }) {
  const first = message.text === null && message.hasHtml ? "html" : "text";
  return (
    <Tabs.Root defaultValue={first}>
      <Tabs.List className="tabs" aria-label="Parts of the message">
        <Tabs.Trigger value="text">Text</Tabs.Trigger>
        {message.hasHtml ? <Tabs.Trigger value="html">HTML</Tabs.Trigger> : null}
        <Tabs.Trigger value="headers">Headers</Tabs.Trigger>
        <Tabs.Trigger value="raw">Raw</Tabs.Trigger>
      </Tabs.List>
      <Panel value="text">
        {message.text ? (
          <p className="text">
            <LinkedText text={message.text} />
          </p>
        ) : (
          <p className="none">This message has no text part.</p>
        )}
      </Panel>
      {message.hasHtml ? (
        <Panel value="html">
          <iframe
            title="HTML of the message"
            sandbox="allow-popups allow-popups-to-escape-sandbox"
            referrerPolicy="no-referrer"
            src={previewUrl(message.id, "/html")}
          />
        </Panel>
      ) : null}
      <Panel value="headers">
        <Headers message={message} />
      </Panel>
      <Panel value="raw">
        <Raw id={message.id} />
      </Panel>
    </Tabs.Root>
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
      <Parts message={message} />
    </>
  );
}
