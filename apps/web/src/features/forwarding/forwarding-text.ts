/** What people read of aliases at the forwarding provider. */
import type { ForwardingWire, UnfinishedAliasWire } from "@kauke/contract";
import { heldReasons, providerProblems } from "@kauke/contract/provider-problems";
import { t } from "../../texts/texts.ts";
import { countText } from "../../ui/text/count-text.ts";
import { timeText } from "../../ui/text/time-text.ts";

interface Named {
  provider: string;
  /** A paused alias is not set up, but paused. */
  isActive: boolean;
}

/** A next try sooner than this is not given as a time of day. */
const MOMENT_MS = 20_000;

/** @example "Could not be set up: the provider can't be reached. We try again at 14:05." */
export function stateText(
  { state, problem, held, nextTryAt }: Omit<UnfinishedAliasWire, "aliasId">,
  { provider, isActive }: Named,
  now = new Date(),
): string {
  const done = isActive ? "set up" : "paused";
  if (state === "waiting") return t("Being {done} at {provider}", { done, provider });
  if (state === "held") return `Off at ${provider}. ${held === null ? "" : heldReasons[held]}`.trim();
  const why = problem === null ? "" : `: ${providerProblems[problem]}`;
  return `Could not be ${done}${why}${isActive ? "" : ", so it may still forward"}. ${nextTryText(nextTryAt, now)}`.trim();
}

function nextTryText(nextTryAt: string | null, now: Date): string {
  if (nextTryAt === null) return "";
  const isSoon = Date.parse(nextTryAt) - now.getTime() < MOMENT_MS;
  return `We try again ${isSoon ? "in a moment" : `at ${timeText(nextTryAt, now)}`}.`;
}

/** Up to this many aliases are told by their rows alone. */
const FEW = 5;

/** The line above the list; `null` if few aliases wait. */
export function manyText({ waiting, failed }: ForwardingWire["counts"], provider: string): string | null {
  if (waiting + failed <= FEW) return null;
  const areSetUp = t("{aliases} being set up at {provider}.", { aliases: aliasesText(waiting), provider });
  const haveFailed = `${aliasesText(failed, "could")} not be set up yet. We try again.`;
  return [waiting > 0 ? areSetUp : "", failed > 0 ? haveFailed : ""].filter((text) => text !== "").join(" ");
}

function aliasesText(count: number, verb = count === 1 ? "is" : "are"): string {
  return `${countText(count)} ${count === 1 ? "alias" : "aliases"} ${verb}`;
}

interface Told {
  provider: string;
  /** Address of an alias; `null` if it was deleted. */
  addressOf: (aliasId: string) => string | null;
}

/** What a screen reader is told when the second response differs from the first; empty if nothing is worth it. */
export function changeText(
  before: ForwardingWire | undefined,
  after: ForwardingWire | undefined,
  { provider, addressOf }: Told,
): string {
  if (before === undefined || after === undefined) return "";
  const stateBefore = new Map(before.unfinished.map((one) => [one.aliasId, one.state]));
  const stateAfter = new Map(after.unfinished.map((one) => [one.aliasId, one.state]));
  const ids = new Set([...stateBefore.keys(), ...stateAfter.keys()]);
  const sentences = [...ids].flatMap((id) => {
    const state = stateAfter.get(id) ?? "done";
    const address = addressOf(id);
    return address === null || state === (stateBefore.get(id) ?? "done") ? [] : [`${address} ${words[state]}`];
  });
  if (sentences.length === 0) return "";
  const { waiting, failed } = after.counts;
  if (sentences.length > FEW) return manyText(after.counts, provider) ?? countedText(waiting + failed, provider);
  return sentences.map((sentence) => t("{sentence} at {provider}.", { sentence, provider })).join(" ");
}

const countedText = (open: number, provider: string): string =>
  open === 0
    ? t("All aliases are set up at {provider}.", { provider })
    : t("{aliases} not set up yet at {provider}.", { aliases: aliasesText(open), provider });

const words: Record<UnfinishedAliasWire["state"] | "done", string> = {
  waiting: "is being set up",
  failed: "could not be set up",
  held: "is off",
  done: "is set up",
};
