/** The feedback panel's code loads on the first click; if it can't, the feedback board opens instead. */
import { MessageSquare } from "lucide-react";
import { type ComponentType, useId, useRef, useState } from "react";
import { t } from "../../texts/texts.ts";
import { useIsLive } from "../../ui/use-is-live.ts";
import { useLeaving } from "../../ui/use-leaving.ts";
import type { PanelProps } from "./FeedbackPanel.tsx";

export function FeedbackButton({ board }: { board: string }) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const [Panel, setPanel] = useState<{ component: ComponentType<PanelProps> } | null>(null);
  const isLive = useIsLive();
  const close = (byKey: boolean) => {
    setPanel(null);
    if (byKey) button.current?.focus();
  };
  const open = () =>
    import("./FeedbackPanel.tsx").then(
      (found) => setPanel({ component: found.FeedbackPanel }),
      () => window.open(board, "_blank", "noopener,noreferrer"),
    );
  useLeaving(Panel !== null, ".feedback, .feedback-panel", close);
  return (
    <>
      <button
        type="button"
        className="feedback"
        ref={button}
        aria-haspopup="dialog"
        aria-expanded={Panel !== null}
        aria-controls={Panel === null ? undefined : id}
        disabled={!isLive}
        onClick={() => (Panel === null ? void open() : close(true))}
      >
        <MessageSquare className="i" aria-hidden />
        <span>{t("Feedback")}</span>
      </button>
      {Panel === null ? null : <Panel.component id={id} board={board} onClose={close} />}
    </>
  );
}
