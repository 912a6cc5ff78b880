/**
 * The one toast on screen (specification section 9): a new one takes the place of the last; a dismissed one is removed
 * 1000 ms later. Anything may call `showToast`; `Toaster` shows it.
 */
import { toastTimes } from "@kauke/contract";

interface ToastContent {
  title: string;
  description?: string;
  variant?: "good" | "info" | "bad";
  /** In place of the variant's own. */
  icon?: "clock";
  /** In place of the variant's own time. */
  visibleMs?: number;
  /** One button; pressing it puts the toast away. `spoken`: how a screen reader tells of it. */
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

/** The destructive variant: red, seven seconds. */
export function showFailure(title: string, description?: string): void {
  showToast({ title, description, variant: "bad" });
}

export function dismissToast(): void {
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
