/** The account's settings for outgoing mail. The switches appear once the server has sent their state. */
import type { AccountSettings } from "@kauke/contract";
import type { ReactNode } from "react";
import { useAccountSettings, useChangeAccountSettings } from "../../api/account-settings.ts";
import { messageOf } from "../../api/api-error.ts";
import { Switch } from "../../ui/Switch.tsx";
import { showFailure } from "../../ui/toast-store.ts";

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
