import type { AliasWire } from "@kauke/contract";
import { useQueryClient } from "@tanstack/react-query";
import { useAccountDomains } from "../../../api/account-domains.ts";
import { useUpdateAlias } from "../../../api/aliases.ts";
import { t } from "../../../texts/texts.ts";
import { NameForm } from "../../display-name/NameForm.tsx";
import { useForwarding } from "../../forwarding/NeedsEngine.tsx";
import { addressOf } from "../alias-text.ts";
import { offerSavedUndo } from "../undo-change.ts";

/** The name of the alias' own domain; empty for none. */
export function useDomainName(domain: string): string {
  const { data } = useAccountDomains();
  return data?.domains.find((own) => own.domain === domain)?.displayName ?? "";
}

/** What the folded part says. */
export function useNameText({ displayName, domain }: AliasWire): string {
  const ofDomain = useDomainName(domain);
  if (displayName !== undefined) return displayName;
  return ofDomain === ""
    ? t("None: people see the address alone.")
    : t("{name}, as for its domain", { name: ofDomain });
}

export function DisplayName({ alias }: { alias: AliasWire }) {
  const client = useQueryClient();
  const update = useUpdateAlias(alias.userId);
  const ofDomain = useDomainName(alias.domain);
  const provider = useForwarding();
  const save = async (displayName: string) => {
    const body = { displayName };
    const saved = await update.mutateAsync({ aliasId: alias.id, body });
    offerSavedUndo(client, { before: alias, saved, body, title: t("Display Name Changed") });
  };
  return (
    <>
      <p className="hint">
        {provider === null
          ? t("What you send from this alias has this name. The one that your mail program sends is never passed on.")
          : t("What you write in Compose has this name. {provider} passes on the one that your mail program sends.", {
              provider: provider.name,
            })}
      </p>
      <NameForm
        className="write-form"
        saved={alias.displayName ?? ""}
        inherited={ofDomain}
        address={addressOf(alias)}
        isPending={update.isPending}
        save={save}
      />
    </>
  );
}
