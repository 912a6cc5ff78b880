import type { AliasWire, UpdateAliasBody } from "@kauke/contract";
import { useQueryClient } from "@tanstack/react-query";
import { useAccountSettings } from "../../../api/account-settings.ts";
import { useUpdateAlias } from "../../../api/aliases.ts";
import { useEncryptionKeys } from "../../../api/encryption-keys.ts";
import { messageOf } from "../../../api/error-text.ts";
import { t } from "../../../texts/texts.ts";
import { Button, Select } from "../../../ui/Controls.tsx";
import { Skeleton } from "../../../ui/LoadFailed.tsx";
import { showFailure } from "../../../ui/toast-store.ts";
import { KeyOptions } from "../../encryption-keys/KeyOptions.tsx";
import { NeedsEngine, useForwarding } from "../../forwarding/NeedsEngine.tsx";
import { offerSavedUndo } from "../undo-change.ts";

/** Saves one property at a time, with an undo. @param title what the row with the undo says */
export function useSaveAlias(alias: AliasWire, title: string) {
  const client = useQueryClient();
  const update = useUpdateAlias(alias.userId);
  const save = (body: UpdateAliasBody) => {
    if (update.isPending) return;
    // Callbacks of React Query's `mutate` don't run once the component is gone.
    update.mutateAsync({ aliasId: alias.id, body }).then(
      (saved) => offerSavedUndo(client, { before: alias, saved, body, title }),
      (error) => showFailure(t("Update Failed"), messageOf(error, t("Failed to update alias"))),
    );
  };
  return { save, pending: update.isPending ? update.variables.body : undefined };
}

function NoChoice({ isFailed, onRetry }: { isFailed: boolean; onRetry: () => void }) {
  if (!isFailed) return <Skeleton />;
  return (
    <Button isSmall onClick={onRetry}>
      {t("Your keys could not be loaded. Try again")}
    </Button>
  );
}

/** @returns what the account's setting and the alias' own choice come to, e.g. `As in Settings (off)` */
export function useSealingText(alias: AliasWire): string {
  const { keys, byAccount } = useSealing();
  if (alias.sealTo === "account") return byAccount;
  if (alias.sealTo === "off") return t("Off");
  return keys.data?.find((key) => key.id === alias.sealTo)?.keyName ?? t("On");
}

function useSealing() {
  const keys = useEncryptionKeys();
  const settings = useAccountSettings();
  const accountKey = keys.data?.find((key) => key.id === settings.data?.sealTo)?.keyName;
  return { keys, settings, byAccount: asInSettings(settings.data !== undefined, accountKey) };
}

function asInSettings(isLoaded: boolean, key: string | undefined): string {
  if (!isLoaded) return t("As in Settings");
  return key === undefined ? t("As in Settings (off)") : t("As in Settings ({key})", { key });
}

/** With a forwarding provider it can only be switched off. */
export function EncryptedForwarding({ alias }: { alias: AliasWire }) {
  const provider = useForwarding();
  const { keys, settings, byAccount } = useSealing();
  const { save, pending } = useSaveAlias(alias, t("Alias Updated"));
  const isOff = alias.sealTo === "off" || (alias.sealTo === "account" && settings.data?.sealTo === "off");
  const choices = provider === null ? keys.data : keys.data?.filter((key) => key.id === alias.sealTo);
  return (
    <div className="alias-setting">
      {provider === null ? (
        <p>{t("Your inbox gets message.eml.age, which only your key opens. Webhooks get it too.")}</p>
      ) : (
        <NeedsEngine provider={provider} />
      )}
      {provider !== null && isOff ? null : choices === undefined ? (
        <NoChoice isFailed={keys.error !== null && !keys.isFetching} onRetry={() => void keys.refetch()} />
      ) : (
        <Select
          aria-label={t("Forward encrypted")}
          aria-busy={pending !== undefined}
          value={pending?.sealTo ?? alias.sealTo}
          onChange={(event) => save({ sealTo: event.target.value })}
        >
          {provider === null || alias.sealTo === "account" ? <option value="account">{byAccount}</option> : null}
          <KeyOptions keys={choices} />
        </Select>
      )}
    </div>
  );
}
