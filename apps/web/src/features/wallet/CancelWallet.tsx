import { useEffect, useEffectEvent } from "react";

/** Cancel button beside the pending wallet button, which keeps the focus; Escape cancels too. */
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
