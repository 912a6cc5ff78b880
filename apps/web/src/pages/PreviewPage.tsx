/** The preview inbox: messages this server would have sent, in memory only. Not found in other delivery modes. */
import type { PreviewSummary } from "@kauke/contract";
import { ArrowLeft, ArrowRight, MailOpen, Paperclip } from "lucide-react";
import { useState } from "react";
import { useLocation, useSearch } from "wouter";
import { messageOf } from "../api/error-text.ts";
import { isMissing, useEmptyPreview, usePreviewMessages } from "../api/preview.ts";
import { useForwarding } from "../features/forwarding/NeedsEngine.tsx";
import { MessageView } from "../features/preview/MessageView.tsx";
import { findMessages } from "../features/preview/plain-words.ts";
import { t } from "../texts/texts.ts";
import { SearchField } from "../ui/Controls.tsx";
import { Mask } from "../ui/Mask.tsx";
import { PageSpinner } from "../ui/Spinner.tsx";
import { SubmitButton } from "../ui/SubmitButton.tsx";
import { fileSizeText, preciseTimeText } from "../ui/text/time-text.ts";
import { showFailure } from "../ui/toast-store.ts";
import { NotFoundPage } from "./NotFoundPage.tsx";

interface Props {
  messages: readonly PreviewSummary[];
  selectedId: string | null;
  onSelect: (id: string) => void;
}

function Summary({ message }: { message: PreviewSummary }) {
  return (
    <>
      <span className="subject">{message.subject || t("(no subject)")}</span>
      <time dateTime={message.receivedAt}>{preciseTimeText(message.receivedAt)}</time>
      <span className="addr">
        {message.from || message.envelopeFrom || "<>"}{" "}
        <ArrowRight className="i inline align-middle" aria-label={t("to")} role="img" /> <b>{message.rcptTo}</b>
      </span>
      <span className="size">
        {message.attachments > 0 ? <Paperclip className="i" role="img" aria-label={t("With attachments")} /> : null}
        {fileSizeText(message.sizeBytes)}
      </span>
    </>
  );
}

function MessageList({ messages, selectedId, onSelect }: Props) {
  const [query, setQuery] = useState("");
  const found = findMessages(messages, query);
  return (
    <>
      <div className="inbox-search">
        <SearchField label={t("Search messages")} value={query} onQuery={setQuery} />
        <p className="sr" role="status">
          {query.trim() === "" ? "" : t("{found} of {count} messages", { found: found.length, count: messages.length })}
        </p>
      </div>
      {found.length === 0 ? <p className="none">{t("No message contains that.")}</p> : null}
      <MessageRows messages={found} selectedId={selectedId} onSelect={onSelect} />
    </>
  );
}

function MessageRows({ messages, selectedId, onSelect }: Props) {
  return (
    <ul>
      {messages.map((message) => (
        <li key={message.id}>
          <button
            type="button"
            id={`message-${message.id}`}
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

/** The selected message is in the address, so that Back leads to the list. */
function useSelection(): [id: string | null, select: (id: string | null) => void] {
  const search = useSearch();
  const [path, navigate] = useLocation();
  const select = (id: string | null) => navigate(id === null ? path : `${path}?message=${encodeURIComponent(id)}`);
  return [new URLSearchParams(search).get("message"), select];
}

function EmptyInbox() {
  const provider = useForwarding();
  return (
    <div className="card empty">
      <Mask className="m" />
      <h2>{t("No messages yet")}</h2>
      <p>
        {t("Everything this server sends lands here and goes nowhere else.")}{" "}
        {provider === null
          ? t("Write to one of your aliases and watch.")
          : t("Mail to your aliases does not come here: {name} forwards it.", { name: provider.name })}
      </p>
    </div>
  );
}

function NothingOpen() {
  return (
    <div className="empty-result">
      <MailOpen className="i i-20" aria-hidden />
      {t("Choose a message to read it")}
    </div>
  );
}

function EmptyButton({ onDone }: { onDone: () => void }) {
  const empty = useEmptyPreview();
  const onClick = () =>
    empty.mutate(undefined, {
      onSuccess: onDone,
      onError: (error) => showFailure(t("Deletion Failed"), messageOf(error, t("Failed to empty the inbox"))),
    });
  return (
    <SubmitButton type="button" pending={empty.isPending} pendingLabel={t("Emptying...")} onClick={onClick}>
      {t("Empty inbox")}
    </SubmitButton>
  );
}

export function PreviewPage() {
  const { data: messages, error } = usePreviewMessages();
  const [selectedId, select] = useSelection();
  // The row that was open has the focus again.
  const onBack = () => {
    const id = selectedId;
    select(null);
    requestAnimationFrame(() => document.getElementById(`message-${id}`)?.focus());
  };
  const onEmptied = () => {
    select(null);
    document.getElementById("main")?.focus();
  };
  if (isMissing(error)) return <NotFoundPage />;
  if (messages === undefined && error === null) return <PageSpinner />;
  const isEmpty = messages?.length === 0;
  return (
    <main id="main" className="page" tabIndex={-1}>
      <div className="title-row">
        <div className="title">
          <h1>{t("Preview inbox")}</h1>
          <p>{t("Every message this server sends, kept in memory only.")}</p>
        </div>
        {messages === undefined || isEmpty ? null : <EmptyButton onDone={onEmptied} />}
      </div>
      {messages === undefined ? (
        <div className="card empty" role="alert">
          <Mask className="m" eyes="shut" />
          <h2>{t("The inbox could not be loaded")}</h2>
          <p>
            {t("{reason} Trying again every two seconds.", { reason: messageOf(error, t("Something went wrong.")) })}
          </p>
        </div>
      ) : null}
      {isEmpty ? <EmptyInbox /> : null}
      {messages === undefined || isEmpty ? null : (
        <div className="inbox" data-open={selectedId === null ? undefined : ""}>
          <section className="card inbox-list" aria-label={t("Messages")}>
            <MessageList messages={messages} selectedId={selectedId} onSelect={select} />
          </section>
          <div className={selectedId === null ? "mail mail-idle" : "mail"}>
            {selectedId === null ? null : (
              <button type="button" className="btn btn-quiet mail-back" onClick={onBack}>
                <ArrowLeft className="i" aria-hidden />
                {t("All messages")}
              </button>
            )}
            <article className="card" aria-labelledby={selectedId === null ? undefined : "open-message"}>
              {selectedId === null ? <NothingOpen /> : <MessageView key={selectedId} id={selectedId} />}
            </article>
          </div>
        </div>
      )}
    </main>
  );
}
