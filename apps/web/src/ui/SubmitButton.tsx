/**
 * A button with a pending state: it then shows a spinner and another label, and ignores presses. It keeps the focus
 * meanwhile, unlike with `disabled`, so keyboard users stay in place. In a prerendered page it is disabled before
 * hydration: the browser would submit the form itself, with the password in the URL.
 */
import type { ReactNode } from "react";
import { useIsLive } from "./use-is-live.ts";

interface Props {
  pending: boolean;
  /** Label while pending, e.g. `Creating...` */
  pendingLabel: string;
  className?: string;
  type?: "submit" | "button";
  disabled?: boolean;
  autoFocus?: boolean;
  /** Accessible name; must contain the visible label. */
  label?: string;
  onClick?: () => void;
  children: ReactNode;
}

export function SubmitButton({
  pending,
  pendingLabel,
  className = "",
  type = "submit",
  disabled,
  autoFocus,
  label,
  onClick,
  children,
}: Props) {
  const isLive = useIsLive();
  return (
    <button
      type={type}
      className={`btn ${className}`}
      disabled={!isLive || (disabled && !pending)}
      data-early={isLive ? undefined : ""}
      aria-disabled={pending || undefined}
      aria-label={label}
      autoFocus={autoFocus}
      // Pending: cancel the submission, also one by Enter in a field. A double click's second click is ignored as well:
      // the first may already be done, and would submit the emptied form.
      onClick={(event) => (pending || event.detail > 1 ? event.preventDefault() : onClick?.())}
    >
      {pending ? (
        <>
          <span className="spin" />
          {pendingLabel}
        </>
      ) : (
        children
      )}
    </button>
  );
}
