/** Keeps the toaster out of the first load: its code comes with the first toast. */
import { lazy, Suspense, useEffect, useState } from "react";
import { readToast, subscribeToToast } from "./toast-store.ts";

const Toaster = lazy(async () => ({ default: (await import("./Toaster.tsx")).Toaster }));

export function LazyToaster() {
  const [wanted, setWanted] = useState(() => readToast() !== null);
  useEffect(() => subscribeToToast(() => setWanted(true)), []);
  if (!wanted) return null;
  return (
    <Suspense fallback={null}>
      <Toaster />
    </Suspense>
  );
}
