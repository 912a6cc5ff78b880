/**
 * A button that shows its act going on: spinner and words, disabled, never narrower than at rest. In a page that came drawn it
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
  onClick,
  children,
}: Props) {
  const isLive = useIsLive();
  return (
    <button
      type={type}
      className={`btn ${className}`}
      disabled={pending || disabled || !isLive}
      data-early={isLive ? undefined : ""}
      autoFocus={autoFocus}
      onClick={onClick}
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
