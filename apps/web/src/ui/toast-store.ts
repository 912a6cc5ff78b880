/** One toast at a time; a dismissed one leaves after 1000 ms (specification section 9). */
import { toastTimes } from "@kauke/contract";
import { makeStore, useStore } from "./store.ts";

interface ToastContent {
  title: string;
  description?: string;
  /** The toast says what the user can do now, on a line of its own. */
  note?: string;
  variant?: "good" | "info" | "bad";
  /** The toast's icon, in place of the variant's. */
  icon?: "clock";
  /** Milliseconds for which the toast shows, in place of the variant's time. */
  visibleMs?: number;
  /** A button that also dismisses the toast. `spoken`: its label for screen readers. */
  action?: { label: string; spoken: string; onAct: () => void };
}

export interface ShownToast extends ToastContent {
  id: number;
  open: boolean;
}

const toast = makeStore<ShownToast | null>(null);
let lastId = 0;
let removal: ReturnType<typeof setTimeout> | undefined;

export function showToast(content: ToastContent): void {
  clearTimeout(removal);
  lastId += 1;
  toast.set({ ...content, id: lastId, open: true });
}

/** Shows a red toast for seven seconds. */
export function showFailure(title: string, description?: string): void {
  showToast({ title, description, variant: "bad" });
}

export function closeToast(): void {
  const shown = toast.read();
  if (!shown?.open) return;
  toast.set({ ...shown, open: false });
  clearTimeout(removal);
  removal = setTimeout(() => toast.set(null), toastTimes.removeMs);
}

export const { read: readToast, subscribe: subscribeToToast } = toast;

export const useToast = (): ShownToast | null => useStore(toast);
