/** @returns a signal that aborts when the process gets its first SIGINT, SIGTERM or SIGHUP, none of which ends it now */
export function stopRequest(): AbortSignal {
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => stop.abort());
  return stop.signal;
}
