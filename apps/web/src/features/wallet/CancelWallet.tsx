import { useEffect, useEffectEvent } from "react";

/**
 * Cancel button beside the wallet button, shown while the wallet has not answered. The focus stays on the wallet button;
 * Escape cancels too.
 */
export function CancelWallet({ onCancel }: { onCancel: () => void }) {
  const cancel = useEffectEvent(onCancel);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => event.key === "Escape" && cancel();
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
  return (
    <button
      type="button"
      className="btn"
      aria-label="Cancel connecting"
      onClick={({ currentTarget }) => {
        // This button is about to be removed, so the focus returns to the button beside it.
        currentTarget.parentElement?.querySelector("button")?.focus();
        onCancel();
      }}
    >
      Cancel
    </button>
  );
}
