/** A decrypted message: its claimed author, files, text, HTML in a frame without any permissions, and header. */
import { Download } from "lucide-react";
import { Tabs } from "radix-ui";
import { type ReactNode, useLayoutEffect, useRef } from "react";
import { saveFile } from "../../../ui/files.ts";
import { LinkedText } from "../../../ui/LinkedText.tsx";
import { fileSizeText, timeText } from "../../../ui/text/time-text.ts";
import type { FrameContent } from "./clean-mail-html.ts";
import type { ParsedMail } from "./parsed-mail.ts";
import { fillFrame } from "./read-mail.ts";

function Facts({ mail }: { mail: ParsedMail }) {
  const facts = [
    ["From", mail.from],
    ["To", mail.to],
    ["Cc", mail.cc],
    ["Date", timeText(mail.date) || mail.date],
  ].filter(([, value]) => value !== "");
  return (
    <dl className="facts">
      {facts.map(([name, value]) => (
        <div key={name} className="contents">
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Files({ files }: Pick<ParsedMail, "files">) {
  if (files.length === 0) return null;
  return (
    <ul className="files" aria-label="Attachments">
      {files.map(({ name, bytes }, index) => (
        // The React key is the index: two files may have the same name, and the list never changes
        <li key={index}>
          <button type="button" className="btn btn-sm" onClick={() => saveFile(name, bytes)}>
            <Download className="i" aria-hidden />
            {name} <span>{fileSizeText(bytes.length)}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

function Html({ content }: { content: FrameContent }) {
  const frame = useRef<HTMLIFrameElement>(null);
  useLayoutEffect(() => {
    if (frame.current) fillFrame(frame.current, content.html);
  }, [content]);
  return (
    <>
      {content.leftOut === 0 ? null : (
        <p className="none">
          {content.leftOut === 1 ? "A picture from elsewhere is" : `${content.leftOut} pictures from elsewhere are`} not
          loaded: its sender would learn that you read this.
        </p>
      )}
      <iframe
        ref={frame}
        title="HTML of the message"
        sandbox="allow-popups allow-popups-to-escape-sandbox"
        referrerPolicy="no-referrer"
      />
    </>
  );
}

function Headers({ headers }: Pick<ParsedMail, "headers">) {
  return (
    <dl className="headers" tabIndex={0}>
      {headers.map(({ name, value }, index) => (
        // The React key is the index: a header field may occur twice, and the list never changes
        <div key={index}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Panel({ value, children }: { value: string; children: ReactNode }) {
  return (
    <Tabs.Content value={value} tabIndex={-1}>
      {children}
    </Tabs.Content>
  );
}

export function MailResult({ mail }: { mail: ParsedMail }) {
  const { subject, text, html, isCut } = mail;
  return (
    <div className="mail">
      <h3 className="subject">{subject || "(no subject)"}</h3>
      <Facts mail={mail} />
      <p className="none">AGE does not prove who wrote a message: the sender is what the message says.</p>
      {isCut ? <p className="none">Not all of it is shown. Save the message to see the rest.</p> : null}
      <Files files={mail.files} />
      <Tabs.Root defaultValue={text === null && html !== null ? "html" : "text"}>
        <Tabs.List className="tabs" aria-label="Parts of the message">
          <Tabs.Trigger value="text">Text</Tabs.Trigger>
          {html === null ? null : <Tabs.Trigger value="html">HTML</Tabs.Trigger>}
          <Tabs.Trigger value="headers">Headers</Tabs.Trigger>
        </Tabs.List>
        <Panel value="text">
          {/* A scrolling region must be focusable for keyboard users */}
          {text ? (
            <p className="text" tabIndex={0}>
              <LinkedText text={text} />
            </p>
          ) : (
            <p className="none">This message has no text part.</p>
          )}
        </Panel>
        {html === null ? null : (
          <Panel value="html">
            <Html content={html} />
          </Panel>
        )}
        <Panel value="headers">
          <Headers headers={mail.headers} />
        </Panel>
      </Tabs.Root>
    </div>
  );
}
