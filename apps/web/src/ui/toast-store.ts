/**
 * The one toast on screen (specification section 9): a new one replaces the previous one; a dismissed one is removed
 * 1000 ms later. Any module may call `showToast`; `Toaster` renders it.
 */
import { toastTimes } from "@kauke/contract";

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

let current: ShownToast | null = null;
let lastId = 0;
let removal: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();

function set(toast: ShownToast | null): void {
  current = toast;
  for (const listener of listeners) listener();
}

export function showToast(content: ToastContent): void {
  clearTimeout(removal);
  lastId += 1;
  set({ ...content, id: lastId, open: true });
}

/** Shows a toast of the destructive variant: red, seven seconds. */
export function showFailure(title: string, description?: string): void {
  showToast({ title, description, variant: "bad" });
}

export function closeToast(): void {
  if (current === null || !current.open) return;
  set({ ...current, open: false });
  clearTimeout(removal);
  removal = setTimeout(() => set(null), toastTimes.removeMs);
}

export const readToast = (): ShownToast | null => current;

export function subscribeToToast(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
