/** Runs one vault job at a time for a form, with progress text and estimate, and ends the job if the form unmounts. */
import { useCallback, useEffect, useRef, useState } from "react";
import type { JobOptions } from "./vault.ts";

interface Working {
  doing: string;
  forecastSeconds: number | null;
}

export function useVaultJob() {
  const [working, setWorking] = useState<Working | null>(null);
  const current = useRef<AbortController | null>(null);
  const stop = useCallback(() => current.current?.abort(), []);
  useEffect(() => stop, [stop]);
  return {
    working,
    /** Terminates the worker of the running job. */
    stop,
    /**
     * @param doing progress text, e.g. `Opening the key.`
     * @returns the job's result; `null` if it was stopped, after which the caller must do nothing
     */
    async run<T>(
      doing: string,
      work: (options: JobOptions & { signal: AbortSignal }) => Promise<T>,
    ): Promise<T | null> {
      stop();
      const controller = new AbortController();
      const { signal } = controller;
      current.current = controller;
      setWorking({ doing, forecastSeconds: null });
      const onForecast = (forecastSeconds: number) => setWorking({ doing, forecastSeconds });
      try {
        const result = await work({ signal, onForecast });
        return signal.aborted ? null : result;
      } catch (error) {
        if (signal.aborted) return null;
        throw error;
      } finally {
        if (current.current === controller) setWorking(null);
      }
    },
  };
}
