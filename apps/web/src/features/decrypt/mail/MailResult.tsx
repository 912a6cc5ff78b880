/** Shows a decrypted message; its HTML goes into a frame without any permissions. */
import { Download, LockOpen } from "lucide-react";
import { useLayoutEffect, useRef } from "react";
import { plural } from "../../../texts/plural.ts";
import { t } from "../../../texts/texts.ts";
import { Button } from "../../../ui/Controls.tsx";
import { saveFile } from "../../../ui/files.ts";
import { MessageParts } from "../../../ui/MessageParts.tsx";
import { fileSizeText, timeText } from "../../../ui/text/time-text.ts";
import { encryptedFileKind } from "../encrypted-file.ts";
import { bringToDecrypt } from "../incoming.ts";
import type { FrameContent } from "./clean-mail-html.ts";
import type { ParsedMail } from "./parsed-mail.ts";
import { fillFrame } from "./read-mail.ts";

function Facts({ mail }: { mail: ParsedMail }) {
  const facts = [
    [t("From"), mail.from],
    [t("To"), mail.to],
    [t("Cc"), mail.cc],
    [t("Date"), timeText(mail.date) || mail.date],
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
    <ul className="files" aria-label={t("Attachments")}>
      {files.map(({ name, bytes }, index) => (
        // Keyed by index: names may be equal, and the list never changes.
        <li key={index}>
          <Button isSmall icon={Download} onClick={() => saveFile(name, bytes)}>
            {name} <span>{fileSizeText(bytes.length)}</span>
          </Button>
          {encryptedFileKind(bytes) === null ? null : (
            <Button
              isSmall
              look="quiet"
              icon={LockOpen}
              aria-label={t("Decrypt {name}", { name })}
              onClick={() => bringToDecrypt({ files: [new File([bytes], name)] })}
            >
              {t("Decrypt")}
            </Button>
          )}
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
          {plural(
            content.leftOut,
            "A picture from elsewhere is not loaded: its sender would learn that you read this.",
            "{count} pictures from elsewhere are not loaded: its sender would learn that you read this.",
            { count: content.leftOut },
          )}
        </p>
      )}
      <iframe
        ref={frame}
        title={t("HTML of the message")}
        sandbox="allow-popups allow-popups-to-escape-sandbox"
        referrerPolicy="no-referrer"
      />
    </>
  );
}

export function MailResult({ mail }: { mail: ParsedMail }) {
  const { subject, text, html, isCut } = mail;
  return (
    <div className="mail">
      <h3 className="subject">{subject || t("(no subject)")}</h3>
      <Facts mail={mail} />
      <p className="none">{t("AGE does not prove who wrote a message: the sender is what the message says.")}</p>
      {isCut ? <p className="none">{t("Not all of it is shown. Save the message to see the rest.")}</p> : null}
      <Files files={mail.files} />
      <MessageParts text={text} html={html && <Html content={html} />} headers={mail.headers} />
    </div>
  );
}
