/** In the top bar of every page while keys are unlocked. */
import { LockOpen } from "lucide-react";
import { useEffect, useState } from "react";
import { createPortal } from "react-dom";
import { t } from "../../texts/texts.ts";
import { lockKeys, readUnlocked, type Unlocked } from "../../vault/unlocked-keys.ts";

/** @example timeLeft(581_000) // "9:41" */
export function timeLeft(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

function makeHost(): HTMLElement {
  const host = document.createElement("div");
  host.className = "lock-now";
  return host;
}

/** Its place: before the other controls of the bar, in the order of reading and of Tab. */
function useHost(): HTMLElement {
  const [host] = useState(makeHost);
  useEffect(() => {
    document.querySelector(".topbar .end")?.prepend(host);
    return () => host.remove();
  }, [host]);
  return host;
}

export function LockNow({ unlocked }: { unlocked: Unlocked }) {
  const host = useHost();
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const tick = setInterval(() => {
      readUnlocked();
      setNow(Date.now());
    }, 1000);
    return () => clearInterval(tick);
  }, []);
  const names = unlocked.keys.map(({ keyName }) => keyName).join(", ");
  const left = timeLeft(unlocked.until - now);
  return createPortal(
    <button
      type="button"
      aria-label={t("Lock Now {left}, unlocked: {names}", { left, names })}
      data-tip={`${names}: ${left}`}
      onClick={() => {
        lockKeys();
        document.getElementById("main")?.focus({ preventScroll: true });
      }}
    >
      <LockOpen className="i" aria-hidden />
      <b>{t("Lock Now")}</b> <span>{left}</span>
    </button>,
    host,
  );
}
