/** Creates an alias for a site of the checklist, stores its id in the site's row and copies its address. */
import type { AliasWire, ChecklistRowWire } from "@kauke/contract";
import { limits } from "@kauke/contract/limits";
import { useState } from "react";
import { useGenerateAlias } from "../../../api/aliases.ts";
import { messageOf } from "../../../api/api-error.ts";
import { useChangeChecklist } from "../../../api/checklist.ts";
import { copyText } from "../../../ui/text/copy-text.ts";
import { showFailure } from "../../../ui/toast-store.ts";
import { siteLink } from "../export-file/site-name.ts";

export function useSiteAlias(userId: string) {
  const generate = useGenerateAlias(userId);
  const change = useChangeChecklist();
  const [pendingId, setPendingId] = useState<string | null>(null);
  const make = async ({ id, site }: ChecklistRowWire) => {
    if (pendingId !== null) return;
    setPendingId(id);
    try {
      const hostname = siteLink(site) === null ? {} : { hostname: site };
      const alias = await generate.mutateAsync({ ...hostname, notes: site.slice(0, limits.notesMax) });
      change.mutate([{ id, aliasId: alias.id }], { onError: showChangeFailure });
      await copyText(addressOf(alias));
    } catch (error) {
      showFailure("Creation Failed", messageOf(error, "Failed to create alias"));
    } finally {
      setPendingId(null);
    }
  };
  return { pendingId, make };
}

const addressOf = ({ alias, domain }: AliasWire): string => `${alias}@${domain}`;

export const showChangeFailure = (error: Error): void =>
  showFailure("Checklist not saved", messageOf(error, "Failed to save the checklist"));
