/**
 * Encrypted text and files, pasted or dropped on any page, lead to /decrypt. Fields keep their pastes, and a page that
 * accepts files itself keeps its drops. The end of the session forgets what was decrypted.
 */
import { useEffect, useEffectEvent, useState } from "react";
import { useLocation } from "wouter";
import { t } from "../../texts/texts.ts";
import { forgetDecrypted } from "../../vault/forget-decrypted.ts";
import { useUnlocked } from "../../vault/unlocked-keys.ts";
import { bringToDecrypt, containsArmor, type Incoming } from "./incoming.ts";
import { LockNow } from "./LockNow.tsx";

const isField = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest("input, textarea, select, [contenteditable]") !== null;

const isDialogOpen = (): boolean => document.querySelector(".scrim") !== null;

/** Names and types under which encrypted mail is saved; its content is checked on the page. */
const isOurs = ({ name }: File): boolean => /\.(?:age|eml)$/i.test(name);
/** While files are dragged, browsers tell their types only; that of an age file is unknown to them. */
const ourTypes = new Set(["", "message/rfc822", "application/vnd.age", "application/octet-stream"]);

function mayBeOurs({ items, types }: DataTransfer): boolean {
  if (!types.includes("Files")) return false;
  const files = [...items].filter(({ kind }) => kind === "file");
  // Some browsers list nothing before the drop.
  return files.length === 0 || files.some(({ type }) => ourTypes.has(type));
}

/** @returns what of a paste or drop is to be decrypted */
function incomingOf(data: DataTransfer | null): Incoming | null {
  const files = [...(data?.files ?? [])].filter(isOurs);
  if (files.length > 0) return { files };
  const text = data?.getData("text/plain") ?? "";
  return containsArmor(text) ? { text } : null;
}

function useDropsAndPastes(): boolean {
  const [isOver, setIsOver] = useState(false);
  const [, navigate] = useLocation();
  const accept = useEffectEvent((event: Event, data: DataTransfer | null) => {
    const incoming = event.defaultPrevented || isDialogOpen() ? null : incomingOf(data);
    if (incoming === null) return;
    event.preventDefault();
    bringToDecrypt(incoming);
    navigate("/decrypt");
  });
  useEffect(() => {
    const stop = new AbortController();
    const { signal } = stop;
    document.addEventListener("paste", (event) => isField(event.target) || accept(event, event.clipboardData), {
      signal,
    });
    // On the document, so before the window's listeners, which refuse all other files.
    document.addEventListener(
      "dragover",
      (event) => {
        const { dataTransfer, defaultPrevented } = event;
        const isWelcome = dataTransfer !== null && !defaultPrevented && !isDialogOpen() && mayBeOurs(dataTransfer);
        if (isWelcome) event.preventDefault();
        setIsOver(isWelcome);
      },
      { signal },
    );
    document.addEventListener("dragleave", ({ relatedTarget }) => relatedTarget === null && setIsOver(false), {
      signal,
    });
    document.addEventListener(
      "drop",
      (event) => {
        setIsOver(false);
        if (!isField(event.target) || event.dataTransfer?.types.includes("Files")) accept(event, event.dataTransfer);
      },
      { signal },
    );
    return () => stop.abort();
  }, []);
  return isOver;
}

export function DecryptAnywhere() {
  const isOver = useDropsAndPastes();
  const unlocked = useUnlocked();
  useEffect(() => forgetDecrypted, []);
  return (
    <>
      {isOver ? <div className="drop-here">{t("Drop to decrypt")}</div> : null}
      {unlocked === null ? null : <LockNow unlocked={unlocked} />}
    </>
  );
}
