import { type ReactNode, useId } from "react";
import { messageOf } from "../../api/error-text.ts";
import { t } from "../../texts/texts.ts";
import { Setting } from "../../ui/Card.tsx";
import { RetryButton } from "../../ui/LoadFailed.tsx";

export function SettingFailed({ title, error, onRetry }: { title: string; error: Error; onRetry: () => unknown }) {
  return (
    <Setting title={title} text={messageOf(error, t("Please try again."))} role="alert">
      <RetryButton onRetry={onRetry} />
    </Setting>
  );
}

export function SettingsGroup({ title, children }: { title: string; children: ReactNode }) {
  const id = useId();
  return (
    <section className="settings-group" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <div className="stack">{children}</div>
    </section>
  );
}
