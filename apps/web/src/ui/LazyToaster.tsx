/**
 * Keeps the toaster out of the initial load: its code loads with the first toast, or earlier on pages where requests
 * can fail, because a toast about a lost connection can't wait for a download.
 */
import { useEffect, useState } from "react";
import { readToast, subscribeToToast } from "./toast-store.ts";
import { useLate } from "./use-late.ts";

const load = async () => (await import("./Toaster.tsx")).Toaster;

export function LazyToaster({ early }: { early: boolean }) {
  const [wanted, setWanted] = useState(() => readToast() !== null);
  useEffect(() => subscribeToToast(() => setWanted(true)), []);
  const late = useLate(wanted || early, load);
  return late === null ? null : <late.component />;
}
