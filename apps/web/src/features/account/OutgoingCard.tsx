/** The leak guard's switch. Until the server has said how it stands there is none to press. */
import type { AccountSettings } from "@kauke/contract";
import { useAccountSettings, useChangeAccountSettings } from "../../api/account-settings.ts";
import { messageOf } from "../../api/api-error.ts";
import { Switch } from "../../ui/Switch.tsx";
import { showFailure } from "../../ui/toast-store.ts";

function LeakGuardRow({ settings }: { settings: AccountSettings | undefined }) {
  const change = useChangeAccountSettings();
  const onChange = (leakGuard: boolean) => {
    if (change.isPending) return;
    const onError = (error: unknown) => showFailure("Update Failed", messageOf(error, "Failed to save the setting"));
    change.mutate({ leakGuard }, { onError });
  };
  return (
    <div className="card-body setting" aria-busy={settings === undefined || change.isPending}>
      <div>
        <h4>Leak guard</h4>
        <p>
          Refuses mail that holds the real address its alias forwards to, whether you reply, compose or use a mail
          program.
        </p>
      </div>
      {settings === undefined ? (
        <span className="skel" />
      ) : (
        <Switch checked={settings.leakGuard} label="Leak guard" onChange={onChange} />
      )}
    </div>
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
        <LeakGuardRow settings={data} />
      )}
    </section>
  );
}
