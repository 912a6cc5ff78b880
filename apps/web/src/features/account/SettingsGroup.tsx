import { type ReactNode, useId } from "react";
import { messageOf } from "../../api/api-error.ts";

/** Shown in a card in place of a row that could not be loaded. */
export function SettingFailed({ title, error, onRetry }: { title: string; error: Error; onRetry: () => void }) {
  return (
    <div className="card-body setting" role="alert">
      <div>
        <h4>{title}</h4>
        <p>{messageOf(error, "Please try again.")}</p>
      </div>
      <button type="button" className="btn" onClick={onRetry}>
        Try again
      </button>
    </div>
  );
}

/** Related settings cards under a common heading. */
export function SettingsGroup({ title, children }: { title: string; children: ReactNode }) {
  const id = useId();
  return (
    <section className="settings-group" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <div className="stack">{children}</div>
    </section>
  );
}
