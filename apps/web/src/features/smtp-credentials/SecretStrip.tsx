/** A revealed password or secret with the countdown until it is hidden, and buttons to hide or copy it. */
import { Copy, EyeOff } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { copySecret } from "../../ui/text/copy-text.ts";
import { countdownText } from "../../ui/text/countdown-text.ts";
import type { Revealed } from "./use-secret.ts";

const TICK_MS = 250;

function useLeftMs(until: number): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return until - now;
}

interface Props {
  revealed: Revealed;
  /** Short name of what is revealed, e.g. `password`. */
  noun: string;
  /** Full name of what is revealed, for the toast, e.g. `SMTP password`. */
  named: string;
  /** @param hadFocus whether the focus was inside the strip when it was hidden */
  onHide: (hadFocus: boolean) => void;
  onCopied?: () => void;
}

export function SecretStrip({ revealed, noun, named, onHide, onCopied }: Props) {
  const strip = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const hide = () => onHide(strip.current?.contains(document.activeElement) === true);
    const timer = setTimeout(hide, revealed.until - Date.now());
    return () => clearTimeout(timer);
  }, [revealed, onHide]);
  const copy = async () => {
    if (await copySecret(Promise.resolve(revealed.secret), named)) onCopied?.();
  };
  const left = countdownText(useLeftMs(revealed.until));
  return (
    <div className="secret" ref={strip}>
      <div>
        <code>{revealed.secret}</code>
        <p>
          {revealed.isNew ? "Copy now. " : null}The {noun} hides in <b>{left}</b>
        </p>
      </div>
      <button type="button" className="btn btn-sm" onClick={() => onHide(true)}>
        <EyeOff className="i" aria-hidden />
        Hide
      </button>
      <button
        type="button"
        className="btn btn-ink btn-sm"
        // The Copy button gets the focus, because the button that revealed the secret is removed
        autoFocus
        onClick={() => void copy()}
      >
        <Copy className="i" aria-hidden />
        Copy
      </button>
    </div>
  );
}
