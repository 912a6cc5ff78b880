/** Actions of a password or secret: view and copy while it is hidden, regenerate at any time. */
import { Copy, Eye, RefreshCw } from "lucide-react";
import type { ReactNode } from "react";
import { SubmitButton } from "../../ui/SubmitButton.tsx";
import type { Secret } from "./use-secret.ts";

interface Props {
  secret: Pick<Secret, "revealed" | "busy" | "heldFocus">;
  onView: () => void;
  onCopy: () => void;
  onRenew: () => void;
  children?: ReactNode;
}

export function SecretActions({ secret: { revealed, busy, heldFocus }, onView, onCopy, onRenew, children }: Props) {
  return (
    <div className="acts">
      {revealed === null ? (
        <>
          <button
            type="button"
            className="btn btn-quiet btn-sm"
            disabled={busy !== null}
            autoFocus={heldFocus}
            onClick={onView}
          >
            {busy === "view" ? <span className="spin" /> : <Eye className="i" aria-hidden />}
            View
          </button>
          <button type="button" className="btn btn-quiet btn-sm" disabled={busy !== null} onClick={onCopy}>
            {busy === "copy" ? <span className="spin" /> : <Copy className="i" aria-hidden />}
            Copy
          </button>
        </>
      ) : null}
      <SubmitButton
        type="button"
        className="btn-quiet btn-sm"
        pending={busy === "renew"}
        pendingLabel="Regenerating..."
        disabled={busy !== null}
        onClick={onRenew}
      >
        <RefreshCw className="i" aria-hidden />
        Regenerate
      </SubmitButton>
      {children}
    </div>
  );
}
