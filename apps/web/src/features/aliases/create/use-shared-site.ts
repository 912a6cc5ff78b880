import { limits } from "@kauke/contract/limits";
import { useEffect, useEffectEvent } from "react";
import { useGenerateName } from "../../../api/mailboxes.ts";
import { t } from "../../../texts/texts.ts";
import { showToast } from "../../../ui/toast-store.ts";
import { takeSharedSite } from "./shared-site.ts";
import type { CreateState } from "./use-create-form.ts";
import { askForName } from "./wanted-name.ts";

interface Given extends Pick<CreateState, "form" | "shown" | "tidy" | "whenDraftRead"> {
  userId: string;
}

/** Fills in the form for a site that was shared with the app: a name with the site's, and the site as the note. */
export function useSharedSite({ userId, form, shown, tidy, whenDraftRead }: Given): void {
  const generate = useGenerateName(userId);
  const put = (alias: string, notes: string) => {
    tidy.change("alias", alias);
    form.setValue("notes", notes, { shouldDirty: true });
  };
  const onSite = useEffectEvent(async (hostname: string) => {
    const { domain } = shown;
    const named = generate.mutateAsync({ format: "site", hostname, domain }).catch(() => ({ alias: "" }));
    const [{ alias: name }] = await Promise.all([named, whenDraftRead()]);
    const { alias = "", notes = "" } = form.getValues();
    put(name, hostname.slice(0, limits.notesMax));
    askForName(name);
    if (alias === "" && notes === "") return;
    const label = t("Put back");
    const action = { label, spoken: t("Put back what you had typed"), onAct: () => put(alias, notes) };
    const description = t("For {site}, in place of what you had typed.", { site: hostname });
    showToast({ title: t("Filled In"), description, action });
  });
  const isReady = shown.domain !== "";
  useEffect(() => {
    const site = isReady ? takeSharedSite() : null;
    if (site === "") askForName("");
    else if (site !== null) void onSite(site);
  }, [isReady]);
}
