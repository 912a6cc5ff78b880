/** A form's one job at a time: what it does now, its forecast, and an end to it when the form goes, whatever the reason. */
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
    /** Ends the worker of the job that runs. */
    stop,
    /**
     * @param doing e.g. `Opening the key.`
     * @returns what the work gave, `null` when it was stopped: nothing is to be said or done then
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
