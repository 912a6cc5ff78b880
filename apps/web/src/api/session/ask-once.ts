/**
 * Fetches what a public page asks the server for: once per visit and without the query library. A failure is a value
 * too, because such a page has something to show instead.
 */
import { useEffect, useState } from "react";

export type Asked<T> = { state: "asking" } | { state: "failed" } | { state: "known"; value: T };

/** @param load calls the server; called once for all components that use the returned hook */
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
