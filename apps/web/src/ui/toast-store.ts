/**
 * The one toast on screen (specification section 9): a new one replaces the previous one; a dismissed one is removed
 * 1000 ms later. Any module may call `showToast`; `Toaster` renders it.
 */
import { toastTimes } from "@kauke/contract";
import { makeStore, useStore } from "./store.ts";

interface ToastContent {
  title: string;
  description?: string;
  /** What the person can do now; a line of its own below the description. */
  note?: string;
  variant?: "good" | "info" | "bad";
  /** Icon in place of that of the toast's variant. */
  icon?: "clock";
  /** Milliseconds on screen, in place of the time of the toast's variant. */
  visibleMs?: number;
  /** A button that also dismisses the toast. `spoken`: its name for screen readers. */
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

/** Shows a toast of the destructive variant: red, seven seconds. */
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
