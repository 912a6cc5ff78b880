import type { AliasWire } from "@kauke/contract";
import type { QueryClient } from "@tanstack/react-query";
import { knownAlias, requestToggle } from "../../api/aliases.ts";
import { messageOf } from "../../api/error-text.ts";
import { t } from "../../texts/texts.ts";
import { showFailure } from "../../ui/toast-store.ts";
import { onceThere } from "../forwarding/NeedsEngine.tsx";
import { addressOf, isActive } from "./alias-text.ts";
import { offerChangeUndo } from "./undo-change.ts";

/** After pausing or activating, the server's response decides what is said (specification section 4). */
export async function switchAlias(client: QueryClient, alias: AliasWire, active: boolean): Promise<void> {
  const address = addressOf(alias);
  const wasActive = isActive(alias);
  try {
    const { message } = await requestToggle(client, alias, active);
    const said = message.includes("activated")
      ? { title: t("Alias Activated"), description: onceThere(t("{address} forwards again", { address })) }
      : { title: t("Alias Paused"), description: onceThere(t("Mail to {address} is silently dropped", { address })) };
    offerChangeUndo({ userId: alias.userId, ...said }, async () => {
      await requestToggle(client, knownAlias(client, alias) ?? alias, wasActive);
    });
  } catch (error) {
    showFailure(t("Toggle Failed"), messageOf(error, t("Failed to toggle alias")));
  }
}
