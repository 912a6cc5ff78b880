import { useEffect, useEffectEvent } from "react";

/** Beside the button that waits, which keeps the focus; Escape does the same. */
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
        // It goes; what it stands beside can be pressed again.
        currentTarget.parentElement?.querySelector("button")?.focus();
        onCancel();
      }}
    >
      Cancel
    </button>
  );
}
