/** Which of the first steps are done, by what really happened, and what to say about each. */
import type { AliasWire, FirstSteps, MailboxWire, TestStage } from "@kauke/contract";
import { said } from "../../texts/said.ts";
import { t } from "../../texts/texts.ts";
import { addressOf, isActive } from "../aliases/alias-text.ts";

export interface Known {
  steps: FirstSteps;
  aliases: readonly AliasWire[];
  mailboxes: readonly MailboxWire[];
}

export interface StepsProgress {
  /** An alias was created; a message was delivered; a mailbox was confirmed. */
  done: readonly [alias: boolean, message: boolean, mailbox: boolean];
  /** Alias that a test goes to: the newest active one. */
  alias: AliasWire | null;
  /** Mailbox that has our question. */
  asked: string | null;
}

export function progressOf({ steps, aliases, mailboxes }: Known): StepsProgress {
  const isConfirmed = mailboxes.some(({ confirmed }) => confirmed);
  return {
    done: [aliases.length > 0, steps.hasMail, isConfirmed],
    alias: aliases.find(isActive) ?? null,
    asked: mailboxes.find(({ state }) => state === "asked")?.email ?? null,
  };
}

export const countDone = ({ done }: StepsProgress): number => done.filter(Boolean).length;

const summaries = [
  t("Three steps, about two minutes."),
  t("1 of 3 done, about a minute left."),
  t("2 of 3 done, one is left."),
  t("All done. Your aliases stand between you and whoever writes to you."),
] as const;

export const summaryOf = (progress: StepsProgress): string => summaries[countDone(progress)] ?? "";

const stageWords: Record<TestStage["name"], Record<TestStage["state"], string>> = {
  sent: { running: t("Sending..."), done: t("Sent"), waiting: t("Sending..."), failed: t("Not sent") },
  received: { running: t("receiving..."), done: t("received"), waiting: t("receiving..."), failed: t("not received") },
  delivered: { running: t("delivering..."), done: t("delivered"), waiting: t("waiting"), failed: t("not delivered") },
};

/** @example stagesText(stages) // "Sent, received, delivering..." */
export const stagesText = (stages: readonly TestStage[]): string =>
  stages.map(({ name, state }) => stageWords[name][state]).join(", ");

const saidOrNull = (text: string | undefined): string | null => (text === undefined ? null : said(text));

/** Why the test did not arrive; `null` while that is not known, and when it did. */
export const troubleOf = (stages: readonly TestStage[]): string | null =>
  saidOrNull(stages.find(({ text }) => text !== undefined)?.text);

export const nameOfAlias = (alias: AliasWire): string => addressOf(alias).split("@")[0] ?? "";
