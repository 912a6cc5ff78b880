/** A message in tabs: text, HTML, header fields. */
import { Tabs } from "radix-ui";
import type { ReactNode } from "react";
import { t } from "../texts/texts.ts";
import { LinkedText } from "./LinkedText.tsx";

interface Props {
  text: string | null;
  html: ReactNode | null;
  headers: readonly { name: string; value: string }[];
  /** The message as transferred. */
  raw?: ReactNode;
}

export function MessageParts({ text, html, headers, raw }: Props) {
  const parts: { value: string; name: string; content: ReactNode }[] = [
    { value: "text", name: t("Text"), content: <Text text={text} /> },
    { value: "headers", name: t("Headers"), content: <Headers headers={headers} /> },
  ];
  if (html !== null) parts.splice(1, 0, { value: "html", name: "HTML", content: html });
  if (raw !== undefined) parts.push({ value: "raw", name: t("Raw"), content: raw });
  return (
    <Tabs.Root defaultValue={text === null && html !== null ? "html" : "text"}>
      <Tabs.List className="tabs" aria-label={t("Parts of the message")}>
        {parts.map(({ value, name }) => (
          <Tabs.Trigger key={value} value={value}>
            {name}
          </Tabs.Trigger>
        ))}
      </Tabs.List>
      {parts.map(({ value, content }) => (
        <Tabs.Content key={value} value={value} tabIndex={-1}>
          {content}
        </Tabs.Content>
      ))}
    </Tabs.Root>
  );
}

function Text({ text }: Pick<Props, "text">) {
  if (!text) return <p className="none">{t("This message has no text part.")}</p>;
  return (
    // The message's text is focusable, so that keyboards can scroll it.
    <p className="text" tabIndex={0}>
      <LinkedText text={text} />
    </p>
  );
}

export function Headers({ headers }: Pick<Props, "headers">) {
  return (
    <dl className="headers" tabIndex={0}>
      {headers.map(({ name, value }, index) => (
        // Keyed by index: a header field may occur twice, and the list never changes.
        <div key={index}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
