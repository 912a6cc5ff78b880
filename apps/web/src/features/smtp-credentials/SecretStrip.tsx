import { Copy, Eye, EyeOff, RefreshCw } from "lucide-react";
import { type CSSProperties, type ReactNode, useEffect, useRef, useState } from "react";
import { rich, t } from "../../texts/texts.ts";
import { Button } from "../../ui/Controls.tsx";
import { SubmitButton } from "../../ui/SubmitButton.tsx";
import { copySecret } from "../../ui/text/copy-text.ts";
import { countdownText } from "../../ui/text/time-text.ts";
import type { Revealed, Secret } from "./use-secret.ts";

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
  noun: "password" | "secret";
  /** Name of the secret in the toast, e.g. `SMTP password`. */
  named: string;
  /** @param hadFocus the focus was inside the strip when the secret was hidden */
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
          {revealed.isNew ? `${t("Copy now.")} ` : null}
          {noun === "password"
            ? rich("The password hides in {left}", { left: <b>{left}</b> })
            : rich("The secret hides in {left}", { left: <b>{left}</b> })}
        </p>
      </div>
      <Button isSmall icon={EyeOff} onClick={() => onHide(true)}>
        {t("Hide")}
      </Button>
      <Button
        isSmall
        look="ink"
        icon={Copy}
        // Copy gets the focus, since the button that revealed the secret is gone.
        autoFocus
        onClick={() => void copy()}
      >
        {t("Copy")}
      </Button>
    </div>
  );
}

/** Buttons beside a secret; View and Copy only while it is hidden. */
interface SecretActionsProps {
  secret: Pick<Secret, "revealed" | "busy" | "heldFocus">;
  onView: () => void;
  onCopy: () => void;
  onRenew: () => void;
  children?: ReactNode;
}

export function SecretActions({
  secret: { revealed, busy, heldFocus },
  onView,
  onCopy,
  onRenew,
  children,
}: SecretActionsProps) {
  return (
    <div className="acts">
      {revealed === null ? (
        <>
          <Button isSmall look="quiet" disabled={busy !== null} autoFocus={heldFocus} onClick={onView}>
            {busy === "view" ? <span className="spin" /> : <Eye className="i" aria-hidden />}
            {t("View")}
          </Button>
          <Button isSmall look="quiet" disabled={busy !== null} onClick={onCopy}>
            {busy === "copy" ? <span className="spin" /> : <Copy className="i" aria-hidden />}
            {t("Copy")}
          </Button>
        </>
      ) : null}
      <SubmitButton
        type="button"
        className="btn-quiet btn-sm"
        pending={busy === "renew"}
        pendingLabel={t("Regenerating...")}
        disabled={busy !== null}
        onClick={onRenew}
      >
        <RefreshCw className="i" aria-hidden />
        {t("Regenerate")}
      </SubmitButton>
      {children}
    </div>
  );
}

export function HiddenSecret({ label, ch }: { label: string; ch: number }) {
  return (
    <div className="hidden-secret">
      <dt>{label}</dt>
      <dd>
        <span className="bar" style={{ "--w": `${ch}ch` } as CSSProperties} />
        <span className="sr">{t("hidden")}</span>
      </dd>
    </div>
  );
}
