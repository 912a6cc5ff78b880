/**
 * Fetches data for a public page once per page load, without the query library. A failure is a state and no exception,
 * because the page shows a fallback instead.
 */
import { useEffect, useState } from "react";

export type Asked<T> = { state: "asking" } | { state: "failed" } | { state: "known"; value: T };

/** Makes a hook that fetches data once. @param load calls the server; called once for all components with the hook */
export function askOnce<T>(load: () => Promise<T>): () => Asked<T> {
  let asked: Asked<T> = { state: "asking" };
  let running: Promise<void> | null = null;
  const ask = async () => {
    try {
      asked = { state: "known", value: await load() };
    } catch {
      asked = { state: "failed" };
    }
  };
  return function useAsked() {
    const [shown, setShown] = useState<Asked<T>>({ state: "asking" });
    useEffect(() => {
      let left = false;
      running ??= ask();
      void running.then(() => left || setShown(asked));
      return () => {
        left = true;
      };
    }, []);
    return shown;
  };
}
