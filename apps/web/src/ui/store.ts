import { useSyncExternalStore } from "react";

interface Store<T> {
  read: () => T;
  set: (value: T) => void;
  subscribe: (listener: () => void) => () => void;
  /** Value while a prerendered page hydrates. */
  initial: T;
}

export function makeStore<T>(initial: T): Store<T> {
  let value = initial;
  const listeners = new Set<() => void>();
  return {
    initial,
    read: () => value,
    set(next) {
      if (Object.is(value, next)) return;
      value = next;
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export function useStore<T>({ read, subscribe, initial }: Store<T>): T {
  return useSyncExternalStore(subscribe, read, () => initial);
}
