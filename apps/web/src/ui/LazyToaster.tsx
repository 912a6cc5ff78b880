/**
 * Keeps the toaster out of the first load: its code comes with the first toast, or early where something can go wrong: a toast
 * that says so must not need a connection.
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
