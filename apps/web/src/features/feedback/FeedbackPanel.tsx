/** The feedback panel links to another site and sends nothing. */
import { ArrowUpRight, X } from "lucide-react";
import { useEffect, useRef } from "react";
import { rich, t } from "../../texts/texts.ts";

export interface PanelProps {
  id: string;
  board: string;
  /** @param byKey closed by keyboard: the focus returns to the button */
  onClose: (byKey: boolean) => void;
}

export function FeedbackPanel({ id, board, onClose }: PanelProps) {
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(() => link.current?.focus(), []);
  return (
    <div className="feedback-panel" id={id} role="dialog" aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>{t("Feedback")}</h2>
      <p>
        {t(
          "Tell us what is missing, broken or good. Our board is a public page outside {product}: we send nothing about you along, so leave your real address out.",
        )}
      </p>
      <a
        className="btn btn-ink"
        href={board}
        target="_blank"
        rel="noopener noreferrer"
        ref={link}
        onClick={() => onClose(false)}
      >
        {rich("Open the Board<span> (opens in a new tab)</span>", {
          span: (inner) => <span className="sr">{inner}</span>,
        })}
        <ArrowUpRight className="i" aria-hidden />
      </a>
      <button type="button" className="icon-btn close" aria-label={t("Close")} onClick={() => onClose(true)}>
        <X className="i i-20" aria-hidden />
      </button>
    </div>
  );
}
