import { engineNeededText } from "@kauke/contract/provider-problems";
import { useState } from "react";
import { readProvider } from "../../app/page-settings.ts";
import { said } from "../../texts/said.ts";
import { t } from "../../texts/texts.ts";

/** The server's forwarding provider; `null`: it forwards by itself. */
export function useForwarding() {
  return useState(readProvider)[0];
}

/** A sentence about a change, which the provider learns a moment later. @example "a@b.test forwards again" */
export function onceThere(sentence: string): string {
  const provider = readProvider();
  return provider === null
    ? `${sentence}.`
    : t("{sentence} once {name} has the change.", { sentence, name: provider.name });
}

/** In place of a control for what the provider can't do. */
export function NeedsEngine({ provider }: { provider: { name: string } }) {
  return <p className="needs-engine">{said(engineNeededText(provider.name))}</p>;
}
