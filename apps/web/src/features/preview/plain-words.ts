/** What a message of the preview inbox says about itself, in words for somebody who doesn't know mail. */
import type { PreviewMessage, PreviewStage, PreviewSummary } from "@kauke/contract";
import { t } from "../../texts/texts.ts";

/** Messages that contain every word of the query in their subject, an address or the alias. */
export function findMessages(messages: readonly PreviewSummary[], query: string): readonly PreviewSummary[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return messages.filter(({ subject, from, envelopeFrom, rcptTo, alias }) => {
    const text = [subject, from, envelopeFrom, rcptTo, alias ?? ""].join("\n").toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

const unverifiedMark = /^"?Unverified: /;

/** @example authorName("Unverified: Ann (ann at sender.example) <r.x@kauke.test>") // "Ann" */
export function authorName(from: string): string {
  const [name = ""] = from
    .replace(unverifiedMark, "")
    .replace(/^"/, "")
    .split(/ \(| <|"/, 1);
  return name.trim() || t("The sender");
}

type Replied = Pick<PreviewMessage, "from" | "rcptTo" | "alias">;

/** Says from which address the reply is written, and which alias its recipients see. */
export function replyHint({ from, rcptTo, alias }: Replied, all: boolean): string {
  if (alias !== null && from.includes(alias))
    return t("You write from {rcptTo} to {alias}, as its correspondent would.", { rcptTo, alias });
  if (all)
    return alias === null
      ? t("You write from {rcptTo}. Everybody else sees your alias.", { rcptTo })
      : t("You write from {rcptTo}. Everybody else sees {alias}.", { rcptTo, alias });
  const author = authorName(from);
  return alias === null
    ? t("You write from {rcptTo}. {author} sees your alias.", { rcptTo, author })
    : t("You write from {rcptTo}. {author} sees {alias}.", { rcptTo, author, alias });
}

/** A forward doesn't pass through the alias, which the reader should know before pressing the button. */
export const forwardHint = ({ rcptTo }: Pick<PreviewMessage, "rcptTo">): string =>
  t("As a mail program does it: the text goes from {rcptTo}, and that address is seen, not your alias.", { rcptTo });

const resultOf = (value: string, method: string) =>
  new RegExp(`\\b${method}=(\\w+)`, "i").exec(value)?.[1]?.toLowerCase();

/** @returns why the author's name is marked as unverified, a sentence for each check; `null` if it isn't */
export function whyUnverified({ from, headers }: Pick<PreviewMessage, "from" | "headers">): readonly string[] | null {
  if (!unverifiedMark.test(from)) return null;
  const results = headers.find(({ name }) => /^authentication-results$/i.test(name))?.value ?? "";
  return [
    serverText(resultOf(results, "spf")),
    signatureText(resultOf(results, "dkim")),
    policyText(resultOf(results, "dmarc")),
  ].filter((text) => text !== null);
}

function serverText(spf: string | undefined): string {
  if (spf === "pass")
    return t("The server that sent it may send for the domain in the envelope, but that is not the author's.");
  if (spf === "fail" || spf === "softfail")
    return t("The server that sent it is not one that the domain sends its mail from.");
  if (spf === undefined || spf === "none" || spf === "neutral")
    return t("The domain does not say which servers send its mail.");
  return t("Whether the server may send for the domain could not be checked.");
}

function signatureText(dkim: string | undefined): string {
  if (dkim === "pass") return t("It has a valid signature, but of another domain than the author's.");
  if (dkim === undefined || dkim === "none") return t("It carries no signature.");
  return t("Its signature does not fit: the message was changed on its way, or the signature is forged.");
}

const policyText = (dmarc: string | undefined): string | null =>
  dmarc === "fail" ? t("The author's domain asks to distrust such mail.") : null;

const stageWords: Record<PreviewStage["stage"], string> = {
  resolve: t("Address"),
  receive: t("Received"),
  screen: t("Checked"),
  rewrite: t("Rewritten"),
  deliver: t("Delivered"),
};
const verdictWords: Readonly<Record<string, string>> = {
  accept: t("ok"),
  taken: t("ok"),
  discard: t("discarded"),
  reject: t("reject"),
  defer: t("defer"),
};

export const stageText = ({ stage, verdict }: PreviewStage): string =>
  `${stageWords[stage]}: ${verdictWords[verdict] ?? verdict}`;
