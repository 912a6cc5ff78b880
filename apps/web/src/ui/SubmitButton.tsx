/**
 * While pending, the button ignores presses but keeps the focus. Disabled before hydration: the browser would send the
 * form itself, with the password in the URL.
 */
import type { ReactNode } from "react";
import { useIsLive } from "./use-is-live.ts";

interface Props {
  pending: boolean;
  /** Label while pending, e.g. `Creating...`. */
  pendingLabel: string;
  className?: string;
  type?: "submit" | "button";
  disabled?: boolean;
  autoFocus?: boolean;
  /** Label for screen readers, which must contain the visible one. */
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
      // While pending, Enter in a field is ignored too; a double click's second click would submit the emptied form.
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
