/** Setting for encrypted forwarding of one alias: as the account's setting says, off, or to a key of its own. */
import type { AliasWire } from "@kauke/contract";
import { useId } from "react";
import { useAccountSettings } from "../../api/account-settings.ts";
import { useUpdateAlias } from "../../api/aliases.ts";
import { messageOf } from "../../api/api-error.ts";
import { useEncryptionKeys } from "../../api/encryption-keys.ts";
import { Select } from "../../ui/Select.tsx";
import { showFailure, showToast } from "../../ui/toast-store.ts";
import { KeyOptions } from "../encryption-keys/KeyOptions.tsx";
import { addressOf } from "./alias-text.ts";

function NoChoice({ isFailed, onRetry }: { isFailed: boolean; onRetry: () => void }) {
  if (!isFailed) return <span className="skel" />;
  return (
    <button type="button" className="btn btn-sm" onClick={onRetry}>
      Your keys could not be loaded. Try again
    </button>
  );
}

export function AliasEncryption({ alias }: { alias: AliasWire }) {
  const id = useId();
  const keys = useEncryptionKeys();
  const settings = useAccountSettings();
  const update = useUpdateAlias(alias.userId);
  const onChange = (sealTo: string) => {
    if (update.isPending) return;
    update.mutate(
      { aliasId: alias.id, body: { sealTo } },
      {
        onSuccess: (saved) => showToast({ title: "Alias Updated", description: addressOf(saved) }),
        onError: (error) => showFailure("Update Failed", messageOf(error, "Failed to update alias")),
      },
    );
  };
  const nameOf = (keyId: string | undefined) => keys.data?.find((key) => key.id === keyId)?.keyName;
  const byAccount = nameOf(settings.data?.sealTo);
  return (
    <div className="smtp alias-setting" role="group" aria-labelledby={id}>
      <div>
        <h3 id={id}>Forward encrypted</h3>
        <p>Your inbox gets message.eml.age, which only your key opens. Webhooks get it too.</p>
      </div>
      {keys.data === undefined ? (
        <NoChoice isFailed={keys.error !== null && !keys.isFetching} onRetry={() => void keys.refetch()} />
      ) : (
        <Select
          aria-labelledby={id}
          aria-busy={update.isPending}
          value={update.isPending ? update.variables.body.sealTo : alias.sealTo}
          onChange={(event) => onChange(event.target.value)}
        >
          <option value="account">As in Settings{settings.data ? ` (${byAccount ?? "off"})` : ""}</option>
          <KeyOptions keys={keys.data} />
        </Select>
      )}
    </div>
  );
}
