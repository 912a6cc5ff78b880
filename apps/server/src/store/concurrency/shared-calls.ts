/**
 * Lets callers that want the same thing at the same time share one call (group commit). A call that already runs may have begun
 * too early for a newcomer, so newcomers share the next one.
 */
export function sharedCalls<Key>(run: (key: Key) => Promise<void>): (key: Key) => Promise<void> {
  const lines = new Map<Key, { running: Promise<void>; next: Promise<void> | null }>();
  const start = (key: Key): Promise<void> => {
    const running = run(key);
    const line = { running, next: null as Promise<void> | null };
    lines.set(key, line);
    const done = () => {
      if (line.next === null) lines.delete(key);
    };
    running.then(done, done);
    return running;
  };
  return (key) => {
    const line = lines.get(key);
    if (line === undefined) return start(key);
    line.next ??= line.running.then(
      () => start(key),
      () => start(key),
    );
    return line.next;
  };
}
