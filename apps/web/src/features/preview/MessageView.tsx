import type { PreviewMessage } from "@kauke/contract";
import { Download, ShieldQuestionMark } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { messageOf } from "../../api/error-text.ts";
import { isMissing, previewUrl, usePreviewMessage, useRawMessage } from "../../api/preview.ts";
import { oppositeTheme, useTheme } from "../../app/theme.ts";
import { t } from "../../texts/texts.ts";
import { Button } from "../../ui/Controls.tsx";
import { Headers, MessageParts } from "../../ui/MessageParts.tsx";
import { fileSizeText, timeText } from "../../ui/text/time-text.ts";
import { stageText, whyUnverified } from "./plain-words.ts";
import { ReplyButtons, ReplyComposer, type ReplyTo } from "./ReplyComposer.tsx";

function Facts({ message }: { message: PreviewMessage }) {
  return (
    <dl className="facts">
      <dt>{t("From")}</dt>
      <dd>{message.from}</dd>
      {message.alias === null ? null : (
        <>
          <dt>{t("Alias")}</dt>
          <dd>{message.alias}</dd>
        </>
      )}
      <dt>{t("Envelope")}</dt>
      <dd>{t("{sender} to {recipient}", { sender: message.envelopeFrom || "<>", recipient: message.rcptTo })}</dd>
      <dt>{t("Received")}</dt>
      <dd>
        {timeText(message.receivedAt)}, {fileSizeText(message.sizeBytes)}
      </dd>
    </dl>
  );
}

function Unverified({ message }: { message: PreviewMessage }) {
  const reasons = whyUnverified(message);
  if (reasons === null) return null;
  return (
    <div className="note note-plain why">
      <ShieldQuestionMark className="i" aria-hidden />
      <div>
        <b>{t("Anybody could have written this: nothing proves its author.")}</b>
        {reasons.map((reason) => (
          <p key={reason}>{reason}</p>
        ))}
      </div>
    </div>
  );
}

function Stages({ stages }: Pick<PreviewMessage, "stages">) {
  if (stages.length === 0) return null;
  return (
    <details className="stages">
      <summary>{t("How it came here")}</summary>
      <ol>
        {stages.map((stage, index) => (
          // Keyed by index: the same step may occur twice, and the list never changes.
          <li key={index}>
            <b>{stageText(stage)}</b> <span>{stage.detail}</span>
          </li>
        ))}
      </ol>
    </details>
  );
}

function Files({ message }: { message: PreviewMessage }) {
  return (
    <ul className="files" aria-label={t("Attachments")}>
      {message.files.map((file) => (
        <li key={file.index}>
          <a className="btn btn-sm" href={previewUrl(message.id, `/files/${file.index}`)} download={file.filename}>
            <Download className="i" aria-hidden />
            {file.filename || t("attachment")} <span>{fileSizeText(file.sizeBytes)}</span>
          </a>
        </li>
      ))}
      <li>
        <a className="btn btn-sm btn-quiet" href={previewUrl(message.id, "/raw?download")} download="message.eml">
          <Download className="i" aria-hidden />
          {t("Whole message, .eml")}
        </a>
      </li>
    </ul>
  );
}

function Raw({ id, headers }: Pick<PreviewMessage, "id" | "headers">) {
  const { data, error } = useRawMessage(id);
  if (error) return <p className="none">{messageOf(error, t("The message could not be read."))}</p>;
  if (data === undefined) return <p className="none">{t("Loading...")}</p>;
  return (
    <div className="side-by-side">
      <Headers headers={headers} />
      {/* The raw message is focusable, so that keyboards can scroll it. */}
      <pre tabIndex={0}>{data}</pre>
    </div>
  );
}

function Html({ id }: { id: string }) {
  const isThemeDark = oppositeTheme(useTheme(), matchMedia("(prefers-color-scheme: dark)").matches) === "light";
  const [isAsSent, setIsAsSent] = useState(false);
  const isDark = isThemeDark && !isAsSent;
  return (
    <>
      {isThemeDark ? (
        <p className="none as-sent">
          {isDark ? t("Colours are turned over for the dark theme.") : t("Shown as it was sent.")}
          <Button isSmall look="quiet" onClick={() => setIsAsSent(isDark)}>
            {isDark ? t("Show as sent") : t("Show dark")}
          </Button>
        </p>
      ) : null}
      <iframe
        key={String(isDark)}
        title={t("HTML of the message")}
        className={isDark ? "dark" : undefined}
        sandbox="allow-popups allow-popups-to-escape-sandbox"
        referrerPolicy="no-referrer"
        src={previewUrl(id, isDark ? "/html?dark" : "/html")}
      />
    </>
  );
}

export function MessageView({ id }: { id: string }) {
  const { data: message, error } = usePreviewMessage(id);
  const [replyTo, setReplyTo] = useState<ReplyTo>(null);
  const title = useRef<HTMLHeadingElement>(null);
  const isLoaded = message !== undefined;
  // On a narrow window the message stands in the place of the list, which had the focus.
  useEffect(() => {
    const focused = document.activeElement;
    if (isLoaded && (focused === document.body || focused?.getClientRects().length === 0)) title.current?.focus();
  }, [isLoaded]);
  if (error) {
    const text = isMissing(error)
      ? t("This message is no longer here.")
      : messageOf(error, t("The message could not be read."));
    return <p className="none">{text}</p>;
  }
  if (message === undefined) return <p className="none">{t("Loading...")}</p>;
  return (
    <>
      <div className="card-head">
        <h2 id="open-message" tabIndex={-1} ref={title}>
          {message.subject || t("(no subject)")}
        </h2>
        <ReplyButtons replyTo={replyTo} onChoose={setReplyTo} />
      </div>
      <Facts message={message} />
      <Unverified message={message} />
      {replyTo === null ? null : <ReplyComposer message={message} replyTo={replyTo} onClose={() => setReplyTo(null)} />}
      <Files message={message} />
      <Stages stages={message.stages} />
      <MessageParts
        text={message.text}
        html={message.hasHtml ? <Html id={message.id} /> : null}
        headers={message.headers}
        raw={<Raw id={message.id} headers={message.headers} />}
      />
    </>
  );
}
