import type { AliasWire } from "@kauke/contract";
import type { QueryClient } from "@tanstack/react-query";
import { requestToggle } from "../../api/aliases.ts";
import { messageOf } from "../../api/api-error.ts";
import { showFailure, showToast } from "../../ui/toast-store.ts";
import { onceThere } from "../forwarding/NeedsEngine.tsx";
import { addressOf } from "./alias-text.ts";

/** After pausing or activating, the server's response decides the toast (specification section 4). */
export async function switchAlias(client: QueryClient, alias: AliasWire, active: boolean): Promise<void> {
  const address = addressOf(alias);
  try {
    const { message } = await requestToggle(client, alias, active);
    if (message.includes("activated"))
      showToast({ title: "Alias Activated", description: onceThere(`${address} forwards again`) });
    else showToast({ title: "Alias Paused", description: onceThere(`Mail to ${address} is silently dropped`) });
  } catch (error) {
    showFailure("Toggle Failed", messageOf(error, "Failed to toggle alias"));
  }
}
