/**
 * Lets concurrent callers with the same key share one call (group commit). A call that is already running may have
 * started too early for a new caller, so new callers share the next one.
 */
export function sharedCalls<Key>(run: (key: Key) => Promise<void>): (key: Key) => Promise<void> {
  const calls = new Map<Key, { running: Promise<void>; next: Promise<void> | null }>();
  const start = (key: Key): Promise<void> => {
    const running = run(key);
    const call = { running, next: null as Promise<void> | null };
    calls.set(key, call);
    const done = () => {
      if (call.next === null) calls.delete(key);
    };
    running.then(done, done);
    return running;
  };
  return (key) => {
    const call = calls.get(key);
    if (call === undefined) return start(key);
    call.next ??= call.running.then(
      () => start(key),
      () => start(key),
    );
    return call.next;
  };
}
