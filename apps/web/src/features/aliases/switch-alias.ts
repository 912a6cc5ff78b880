import type { AliasWire } from "@kauke/contract";
import type { QueryClient } from "@tanstack/react-query";
import { knownAlias, requestToggle } from "../../api/aliases.ts";
import { messageOf } from "../../api/api-error.ts";
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
      ? { title: "Alias Activated", description: onceThere(`${address} forwards again`) }
      : { title: "Alias Paused", description: onceThere(`Mail to ${address} is silently dropped`) };
    offerChangeUndo({ userId: alias.userId, ...said }, async () => {
      await requestToggle(client, knownAlias(client, alias) ?? alias, wasActive);
    });
  } catch (error) {
    showFailure("Toggle Failed", messageOf(error, "Failed to toggle alias"));
  }
}
