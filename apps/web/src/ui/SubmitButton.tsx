/** A button that shows its act going on: spinner and words, disabled, never narrower than at rest. */
import type { ReactNode } from "react";

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
  return (
    <button
      type={type}
      className={`btn ${className}`}
      disabled={pending || disabled}
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
