/** The account's settings for outgoing mail. The switches appear once the server has sent their state. */
import type { AccountSettings } from "@kauke/contract";
import { type ReactNode, useId } from "react";
import { useAccountSettings, useChangeAccountSettings } from "../../api/account-settings.ts";
import { messageOf } from "../../api/api-error.ts";
import { useEncryptionKeys } from "../../api/encryption-keys.ts";
import { Select, Switch } from "../../ui/Controls.tsx";
import { showFailure } from "../../ui/toast-store.ts";
import { KeyOptions } from "../encryption-keys/KeyOptions.tsx";
import { SettingFailed } from "./SettingsGroup.tsx";

/**
 * The account's setting for encrypted forwarding, used by all aliases without a setting of their own. Without an
 * encryption key the card says that one is needed.
 */
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

interface RowProps {
  /** The account's settings; `undefined` until they are loaded. */
  settings: AccountSettings | undefined;
  name: "leakGuard" | "aliasInQuotes";
  title: string;
  children: ReactNode;
}

function SettingRow({ settings, name, title, children }: RowProps) {
  const change = useChangeAccountSettings();
  const onChange = (isOn: boolean) => {
    if (change.isPending) return;
    const onError = (error: unknown) => showFailure("Update Failed", messageOf(error, "Failed to save the setting"));
    change.mutate({ [name]: isOn }, { onError });
  };
  return (
    <div className="card-body setting" aria-busy={settings === undefined || change.isPending}>
      <div>
        <h4>{title}</h4>
        {children}
      </div>
      {settings === undefined ? (
        <span className="skel" />
      ) : (
        <Switch checked={settings[name]} label={title} onChange={onChange} />
      )}
    </div>
  );
}

function OutgoingRows({ settings }: { settings: AccountSettings | undefined }) {
  return (
    <>
      <SettingRow settings={settings} name="leakGuard" title="Leak guard">
        <p>
          Refuses mail that contains the real address its alias forwards to, whether you reply, compose or use a mail
          program.
        </p>
      </SettingRow>
      <SettingRow settings={settings} name="aliasInQuotes" title="Alias in quoted lines">
        <p>
          Writes the alias for your real address where a mail program quotes your own message: “On …, you@example.org
          wrote:”, or “From:” and “To:” above the quoted text. Nothing else changes, and signed mail is never touched.
        </p>
      </SettingRow>
    </>
  );
}

export function OutgoingCard() {
  const { data, error, isFetching, refetch } = useAccountSettings();
  return (
    <section className="card" aria-labelledby="outgoing">
      <div className="card-head">
        <h3 id="outgoing">Outgoing mail</h3>
      </div>
      {data === undefined && error !== null && !isFetching ? (
        <div className="card-body setting" role="alert">
          <div>
            <h4>The setting could not be loaded</h4>
            <p>{messageOf(error, "Please try again.")}</p>
          </div>
          <button type="button" className="btn" onClick={() => void refetch()}>
            Try again
          </button>
        </div>
      ) : (
        <OutgoingRows settings={data} />
      )}
    </section>
  );
}
