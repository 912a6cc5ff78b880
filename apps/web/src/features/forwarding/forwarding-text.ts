/** What people read of aliases at the forwarding provider. */
import type { ForwardingWire, UnfinishedAliasWire } from "@kauke/contract";
import { heldReasons, providerProblems } from "@kauke/contract/provider-problems";
import { plural } from "../../texts/plural.ts";
import { said } from "../../texts/said.ts";
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
  if (state === "waiting")
    return isActive ? t("Being set up at {provider}", { provider }) : t("Being paused at {provider}", { provider });
  if (state === "held")
    return held === null
      ? t("Off at {provider}.", { provider })
      : t("Off at {provider}. {reason}", { provider, reason: said(heldReasons[held]) });
  const reason = problem === null ? null : said(providerProblems[problem]);
  return `${isActive ? notSetUpText(reason) : notPausedText(reason)} ${nextTryText(nextTryAt, now)}`.trim();
}

const notSetUpText = (reason: string | null): string =>
  reason === null ? t("Could not be set up.") : t("Could not be set up: {reason}.", { reason });

const notPausedText = (reason: string | null): string =>
  reason === null
    ? t("Could not be paused, so it may still forward.")
    : t("Could not be paused: {reason}, so it may still forward.", { reason });

function nextTryText(nextTryAt: string | null, now: Date): string {
  if (nextTryAt === null) return "";
  const isSoon = Date.parse(nextTryAt) - now.getTime() < MOMENT_MS;
  return isSoon ? t("We try again in a moment.") : t("We try again at {time}.", { time: timeText(nextTryAt, now) });
}

/** Up to this many aliases are told by their rows alone. */
const FEW = 5;

/** The line above the list; `null` if few aliases wait. */
export function manyText({ waiting, failed }: ForwardingWire["counts"], provider: string): string | null {
  if (waiting + failed <= FEW) return null;
  const areSetUp = plural(
    waiting,
    "{count} alias is being set up at {provider}.",
    "{count} aliases are being set up at {provider}.",
    { count: countText(waiting), provider },
  );
  const haveFailed = plural(
    failed,
    "{count} alias could not be set up yet. We try again.",
    "{count} aliases could not be set up yet. We try again.",
    { count: countText(failed) },
  );
  return [waiting > 0 ? areSetUp : "", failed > 0 ? haveFailed : ""].filter((text) => text !== "").join(" ");
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
    return address === null || state === (stateBefore.get(id) ?? "done")
      ? []
      : [changedText(state, { address, provider })];
  });
  if (sentences.length === 0) return "";
  const { waiting, failed } = after.counts;
  if (sentences.length > FEW) return manyText(after.counts, provider) ?? countedText(waiting + failed, provider);
  return sentences.join(" ");
}

const countedText = (open: number, provider: string): string =>
  open === 0
    ? t("All aliases are set up at {provider}.", { provider })
    : plural(
        open,
        "{count} alias is not set up yet at {provider}.",
        "{count} aliases are not set up yet at {provider}.",
        { count: countText(open), provider },
      );

function changedText(
  state: UnfinishedAliasWire["state"] | "done",
  named: { address: string; provider: string },
): string {
  if (state === "waiting") return t("{address} is being set up at {provider}.", named);
  if (state === "failed") return t("{address} could not be set up at {provider}.", named);
  return state === "held"
    ? t("{address} is off at {provider}.", named)
    : t("{address} is set up at {provider}.", named);
}
