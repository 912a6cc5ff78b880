import type { AliasWire, UpdateAliasBody } from "@kauke/contract";
import { useId } from "react";
import { useAccountSettings } from "../../../api/account-settings.ts";
import { useUpdateAlias } from "../../../api/aliases.ts";
import { messageOf } from "../../../api/api-error.ts";
import { useEncryptionKeys } from "../../../api/encryption-keys.ts";
import { Button, Select, Switch } from "../../../ui/Controls.tsx";
import { Skeleton } from "../../../ui/LoadFailed.tsx";
import { showFailure, showToast } from "../../../ui/toast-store.ts";
import { KeyOptions } from "../../encryption-keys/KeyOptions.tsx";
import { NeedsEngine, useForwarding } from "../../forwarding/NeedsEngine.tsx";
import { addressOf } from "../alias-text.ts";

/** Saves one property at a time. @param said title of the toast after success */
export function useSaveAlias(alias: AliasWire, said?: string) {
  const update = useUpdateAlias(alias.userId);
  const save = (body: UpdateAliasBody) => {
    if (update.isPending) return;
    update.mutate(
      { aliasId: alias.id, body },
      {
        onSuccess: (saved) => said && showToast({ title: said, description: addressOf(saved) }),
        onError: (error) => showFailure("Update Failed", messageOf(error, "Failed to update alias")),
      },
    );
  };
  return { save, pending: update.isPending ? update.variables.body : undefined };
}

function NoChoice({ isFailed, onRetry }: { isFailed: boolean; onRetry: () => void }) {
  if (!isFailed) return <Skeleton />;
  return (
    <Button isSmall onClick={onRetry}>
      Your keys could not be loaded. Try again
    </Button>
  );
}

/** With a forwarding provider it can only be switched off. */
export function EncryptedForwarding({ alias }: { alias: AliasWire }) {
  const id = useId();
  const provider = useForwarding();
  const keys = useEncryptionKeys();
  const settings = useAccountSettings();
  const { save, pending } = useSaveAlias(alias, "Alias Updated");
  const nameOf = (keyId: string | undefined) => keys.data?.find((key) => key.id === keyId)?.keyName;
  const byAccount = nameOf(settings.data?.sealTo);
  const isOff = alias.sealTo === "off" || (alias.sealTo === "account" && settings.data?.sealTo === "off");
  const choices = provider === null ? keys.data : keys.data?.filter((key) => key.id === alias.sealTo);
  return (
    <div className="smtp alias-setting" role="group" aria-labelledby={id}>
      <div>
        <h3 id={id}>Forward encrypted</h3>
        {provider === null ? (
          <p>Your inbox gets message.eml.age, which only your key opens. Webhooks get it too.</p>
        ) : (
          <NeedsEngine provider={provider} />
        )}
      </div>
      {provider !== null && isOff ? null : choices === undefined ? (
        <NoChoice isFailed={keys.error !== null && !keys.isFetching} onRetry={() => void keys.refetch()} />
      ) : (
        <Select
          aria-labelledby={id}
          aria-busy={pending !== undefined}
          value={pending?.sealTo ?? alias.sealTo}
          onChange={(event) => save({ sealTo: event.target.value })}
        >
          {provider === null || alias.sealTo === "account" ? (
            <option value="account">As in Settings{settings.data ? ` (${byAccount ?? "off"})` : ""}</option>
          ) : null}
          <KeyOptions keys={choices} />
        </Select>
      )}
    </div>
  );
}

/** Title of the setting for addresses such as `alias+person=host.example@domain`. */
const TITLE = "Write from your mail program by address";

export function WriteByAddress({ alias }: { alias: AliasWire }) {
  const id = useId();
  const provider = useForwarding();
  const { save, pending } = useSaveAlias(alias, "Alias Updated");
  if (provider !== null)
    return (
      <div className="smtp alias-setting" role="group" aria-labelledby={id}>
        <div>
          <h3 id={id}>{TITLE}</h3>
          <NeedsEngine provider={provider} />
        </div>
      </div>
    );
  return (
    <div className="smtp alias-setting" role="group" aria-labelledby={id}>
      <div>
        <h3 id={id}>{TITLE}</h3>
        <p>
          What you send to{" "}
          <span className="mono">
            {alias.alias}+ann=planner.example@{alias.domain}
          </span>{" "}
          from a confirmed mailbox goes to ann@planner.example from this alias. Whoever can send as that mailbox can
          write as the alias too.
        </p>
      </div>
      <Switch
        checked={pending?.writeByAddress ?? alias.writeByAddress ?? false}
        label={TITLE}
        onChange={(writeByAddress) => save({ writeByAddress })}
      />
    </div>
  );
}
