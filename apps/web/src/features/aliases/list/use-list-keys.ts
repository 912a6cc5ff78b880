/** Single keys of the alias list, as its dialog of keys shows them. Text fields and open dialogs get none. */
import { useEffect, useEffectEvent } from "react";
import { makeStore, useStore } from "../../../ui/store.ts";

/** Whether the focused element takes text: there a key is a letter. */
export const takesText = (target: EventTarget | null): boolean =>
  target instanceof HTMLInputElement ||
  target instanceof HTMLTextAreaElement ||
  target instanceof HTMLSelectElement ||
  (target instanceof HTMLElement && target.isContentEditable);

export type ListKey = "/" | "n" | "j" | "k" | "x" | "e" | "#" | "?";

const STORAGE_KEY = "list-keys";

function readIsOn(): boolean {
  try {
    return localStorage.getItem(STORAGE_KEY) !== "off";
  } catch {
    return true;
  }
}

const isOn = makeStore(true);

/** Whoever speaks to the computer needs the keys off: spoken words arrive as keys (WCAG 2.1.4). */
export function setListKeys(on: boolean): void {
  isOn.set(on);
  try {
    if (on) localStorage.removeItem(STORAGE_KEY);
    else localStorage.setItem(STORAGE_KEY, "off");
  } catch {}
}

export const useListKeysOn = (): boolean => useStore(isOn);

/** @param acts called with the key; a key without an act is left to the browser */
export function useListKeys(acts: Partial<Record<ListKey, () => void>>): void {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (!isOn.read() || takesText(event.target) || document.querySelector(".shell[inert]") !== null) return;
    const act = acts[event.key as ListKey];
    if (act === undefined) return;
    event.preventDefault();
    act();
  });
  useEffect(() => {
    isOn.set(readIsOn());
    const listen = (event: KeyboardEvent) => onKey(event);
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, []);
}
