/**
 * A button that shows its act going on: spinner and words, and nothing to press until it is over. It keeps the focus meanwhile,
 * which `disabled` would take away: who came by keyboard finds it where it was, done or failed. In a page that came drawn it
 * can't be pressed before the page lives: the browser would submit the form itself, with the password in the address.
 */
import type { ReactNode } from "react";
import { useIsLive } from "./use-is-live.ts";

interface Props {
  pending: boolean;
  /** What it says meanwhile, e.g. `Creating...` */
  pendingLabel: string;
  className: string;
  type?: "submit" | "button";
  disabled?: boolean;
  autoFocus?: boolean;
  /** In place of what stands on it, which has to be part of it. */
  label?: string;
  onClick?: () => void;
  children: ReactNode;
}

export function SubmitButton({
  pending,
  pendingLabel,
  className,
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
      // A press that does nothing submits nothing either, Enter in a field included. The second press of a double click is one:
      // by then the first may be done, and its emptied form would be submitted.
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
