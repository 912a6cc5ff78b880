import { Check, Copy, Download, Info } from "lucide-react";
import { useEffect, useRef } from "react";
import { plural } from "../../texts/plural.ts";
import { t } from "../../texts/texts.ts";
import { Button } from "../../ui/Controls.tsx";
import { saveFile } from "../../ui/files.ts";
import { Mask } from "../../ui/Mask.tsx";
import { sayNotCopied, writeText } from "../../ui/text/copy-text.ts";
import { fileSizeText } from "../../ui/text/time-text.ts";
import { showToast } from "../../ui/toast-store.ts";
import { forecastText } from "../../vault/VaultProgress.tsx";
import { cleanFileName } from "./file-name.ts";
import { MailResult } from "./mail/MailResult.tsx";
import type { Message, Opened } from "./open-encrypted.ts";
import { type Decryption, decryptFailureText } from "./use-decrypt.ts";

/** @example messageName(messages, 0) // "message 1, quoted" */
function messageName(messages: readonly Message[], index: number): string {
  const source = messages[index]?.source;
  const ofSource = messages.filter((message) => message.source === source);
  if (source !== undefined && ofSource.length === 1) return source;
  const number = index + 1;
  return (messages[index]?.quoteDepth ?? 0) > 0
    ? t("message {number}, quoted", { number })
    : t("message {number}", { number });
}

function OtherMessages({ result, show }: Pick<Decryption, "result" | "show">) {
  if (result === null || result.messages.length < 2) return null;
  const { messages, shown } = result;
  const count = messages.length;
  const message = messageName(messages, shown);
  return (
    <div className="note note-plain others">
      <Info className="i" aria-hidden />
      <div>
        <b>
          {messages.some(({ source }) => source !== undefined)
            ? plural(
                count,
                "{count} file or message was decrypted",
                "{count} files or messages were decrypted one after the other",
                { count },
              )
            : plural(
                count,
                "There is {count} encrypted message in what you entered",
                "There are {count} encrypted messages in what you entered",
                { count },
              )}
        </b>
        <p>
          {messages[shown]?.quoteDepth === 0 && messages.some(({ quoteDepth }) => quoteDepth > 0)
            ? t("Shown is {message}, which is not quoted.", { message })
            : t("Shown is {message}.", { message })}
        </p>
        {messages.map(({ failure }, index) =>
          failure === null ? null : (
            <p key={index}>
              {t("Not shown is {message}: {reason}", {
                message: messageName(messages, index),
                reason: decryptFailureText(failure),
              })}
            </p>
          ),
        )}
        <div className="acts">
          {messages.map(({ opened }, index) =>
            opened === null || index === shown ? null : (
              <Button key={index} isSmall onClick={() => show(index)}>
                {t("Show {message}", { message: messageName(messages, index) })}
              </Button>
            ),
          )}
        </div>
      </div>
    </div>
  );
}

/** From this estimate in seconds on, the page warns that decryption is slow. */
const SLOW_SECONDS = 5;

/** Copies the decrypted text, which the toast doesn't repeat. */
async function copyPlaintext(text: string): Promise<void> {
  try {
    await writeText(text);
    showToast({ title: t("Copied to clipboard") });
  } catch {
    sayNotCopied(text, t("Failed to copy text to clipboard."));
  }
}

function Content({ opened }: { opened: Opened }) {
  switch (opened.kind) {
    case "text":
      return (
        // The decrypted text is focusable, so that keyboards can scroll it.
        <div className="result" role="region" aria-label={t("Decrypted text")} tabIndex={0}>
          {opened.text}
        </div>
      );
    case "mail":
      return <MailResult mail={opened.mail} />;
    case "file":
      return (
        <div className="empty-result">
          <Mask />
          <p>
            {t("The content is not text: {name}, {fileSize}. Save it to open it.", {
              name: opened.name,
              fileSize: fileSizeText(opened.bytes.length),
            })}
          </p>
        </div>
      );
  }
}

function Actions({ opened }: { opened: Opened }) {
  const text = opened.kind === "text" ? opened.text : opened.kind === "mail" ? opened.mail.text : null;
  return (
    <>
      {opened.kind === "text" ? null : (
        <Button icon={Download} onClick={() => save(opened)}>
          {t("Save")}
        </Button>
      )}
      {text === null ? null : (
        <Button icon={Copy} onClick={() => void copyPlaintext(text)}>
          {t("Copy")}
        </Button>
      )}
    </>
  );
}

function save(opened: Exclude<Opened, { kind: "text" }>): void {
  saveFile(opened.kind === "mail" ? "message.eml" : cleanFileName(opened.name, 1), opened.bytes);
}

function Waiting({ working }: Pick<Decryption, "working">) {
  if (working === null)
    return (
      <div className="empty-result">
        <Mask />
        {t("Enter encrypted text and decrypt to see results")}
      </div>
    );
  const { doing, forecastSeconds } = working;
  return (
    <div className="empty-result" role="status">
      <span className="spin" />
      <p>{doing}</p>
      {forecastSeconds !== null && forecastSeconds >= SLOW_SECONDS ? <p>{forecastText(forecastSeconds)}</p> : null}
    </div>
  );
}

interface Props {
  decryption: Decryption;
  onClear: () => void;
}

/** Focuses the result, and scrolls to it where it is out of sight. */
function useLeadTo(opened: Opened | null) {
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (opened === null || title.current === null) return;
    title.current.focus({ preventScroll: true });
    const { top } = title.current.getBoundingClientRect();
    // The form has shrunk to a line, so what was below the button may now be above the window.
    if (top < 0 || top > window.innerHeight / 2) title.current.closest("section")?.scrollIntoView({ block: "start" });
  }, [opened]);
  return title;
}

export function ResultCard({ decryption, onClear }: Props) {
  const { opened, working } = decryption;
  const title = useLeadTo(opened);
  return (
    <section className="card" aria-labelledby="decrypted-message">
      <div className="card-head">
        <h2 id="decrypted-message" ref={title} tabIndex={-1}>
          {t("Decrypted Message")}
        </h2>
        <span role="status" className="ok">
          {opened === null ? null : (
            <>
              <Check className="i" aria-hidden />
              {t("Successfully decrypted")}
            </>
          )}
        </span>
      </div>
      <OtherMessages {...decryption} />
      {opened === null ? <Waiting working={working} /> : <Content opened={opened} />}
      {opened === null ? null : (
        <div className="card-foot two">
          <Button look="quiet" onClick={onClear}>
            {t("Clear Results")}
          </Button>
          <Actions opened={opened} />
        </div>
      )}
    </section>
  );
}
