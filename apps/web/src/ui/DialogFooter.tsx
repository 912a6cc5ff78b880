import type { ReactNode } from "react";

interface Props {
  onCancel: () => void;
  /** Whether Cancel can't be pressed, while the server is changing something. */
  isBusy?: boolean;
  /** The buttons that go on. */
  children?: ReactNode;
}

/** The buttons at the end of a dialog, the first of which cancels. */
export function DialogFooter({ onCancel, isBusy, children }: Props) {
  return (
    <footer>
      <button type="button" className="btn" onClick={onCancel} disabled={isBusy}>
        Cancel
      </button>
      {children}
    </footer>
  );
}
