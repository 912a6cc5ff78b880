/**
 * The account's setting for encrypted forwarding, used by all aliases without a setting of their own. Without an
 * encryption key the card says that one is needed.
 */
import { useId } from "react";
import { useAccountSettings, useChangeAccountSettings } from "../../api/account-settings.ts";
import { messageOf } from "../../api/api-error.ts";
import { useEncryptionKeys } from "../../api/encryption-keys.ts";
import { Select } from "../../ui/Select.tsx";
import { showFailure } from "../../ui/toast-store.ts";
import { KeyOptions } from "../encryption-keys/KeyOptions.tsx";
import { SettingFailed } from "./SettingFailed.tsx";

function ForwardEncryptedRow() {
  const id = useId();
  const settings = useAccountSettings();
  const keys = useEncryptionKeys();
  const change = useChangeAccountSettings();
  const failed = [settings, keys].find(
    (query) => query.data === undefined && query.error !== null && !query.isFetching,
  );
  if (failed?.error) {
    const retry = () => void Promise.all([settings, keys].map((query) => query.refetch()));
    return <SettingFailed title="The setting could not be loaded" error={failed.error} onRetry={retry} />;
  }
  const isReady = settings.data !== undefined && keys.data !== undefined;
  const onChange = (sealTo: string) => {
    if (change.isPending) return;
    const onError = (error: unknown) => showFailure("Update Failed", messageOf(error, "Failed to save the setting"));
    change.mutate({ sealTo }, { onError });
  };
  return (
    <div className="card-body setting forward-encrypted" aria-busy={!isReady || change.isPending}>
      <div>
        <h4 id={id}>Forward encrypted</h4>
        <p>
          Your inbox gets each message as a file, message.eml.age, that only your key opens. Its subject and sender are
          hidden. Mail that can&rsquo;t be encrypted waits; it is never forwarded readable.
        </p>
        {keys.data?.length === 0 ? (
          <p>
            To switch it on,{" "}
            <a className="link" href="#encryption-keys">
              create an encryption key
            </a>{" "}
            first.
          </p>
        ) : null}
      </div>
      {isReady ? (
        <Select
          aria-labelledby={id}
          value={settings.data.sealTo}
          disabled={keys.data.length === 0}
          onChange={(event) => onChange(event.target.value)}
        >
          <KeyOptions keys={keys.data} />
        </Select>
      ) : (
        <span className="skel" />
      )}
    </div>
  );
}

export function ForwardEncryptedCard() {
  return (
    <section className="card" aria-labelledby="forwarded">
      <div className="card-head">
        <h3 id="forwarded">Forwarded mail</h3>
      </div>
      <ForwardEncryptedRow />
    </section>
  );
}
