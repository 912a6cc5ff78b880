/** The menu below 1024 px: the four links, the balance, Sign Out. Escape and a press outside close it. */
import { LogOut, Menu, X } from "lucide-react";
import { useEffect, useEffectEvent, useId, useRef, useState } from "react";
import { NavItems } from "./NavLinks.tsx";

interface Props {
  path: string;
  balance: string | null;
  onLogout: () => void;
}

/** Calls `onLeave` on Escape, and on a press or focus outside of the header that holds the menu. */
function useLeaving(open: boolean, onLeave: (byKey: boolean) => void): void {
  const leave = useEffectEvent(onLeave);
  useEffect(() => {
    if (!open) return;
    const stop = new AbortController();
    const outside = (event: Event) => {
      if (event.target instanceof Element && event.target.closest(".topbar") === null) leave(false);
    };
    const onKey = (event: KeyboardEvent) => event.key === "Escape" && leave(true);
    document.addEventListener("pointerdown", outside, { signal: stop.signal });
    document.addEventListener("focusin", outside, { signal: stop.signal });
    document.addEventListener("keydown", onKey, { signal: stop.signal });
    return () => stop.abort();
  }, [open]);
}

export function MobileMenu({ path, balance, onLogout }: Props) {
  const [open, setOpen] = useState(false);
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  useLeaving(open, (byKey) => {
    setOpen(false);
    if (byKey) button.current?.focus();
  });
  return (
    <>
      <button
        type="button"
        className="icon-btn only-sm"
        data-menu
        ref={button}
        aria-controls={id}
        aria-expanded={open}
        aria-label="Menu"
        onClick={() => setOpen(!open)}
      >
        <Menu className="i i-20 open" aria-hidden />
        <X className="i i-20 shut" aria-hidden />
      </button>
      <div className="menu" id={id} hidden={!open}>
        <nav aria-label="Menu">
          <ul>
            <NavItems path={path} />
            <li className="sep">
              {balance === null ? null : (
                <div className="row">
                  <span>Balance</span>
                  <span className="balance">{balance}</span>
                </div>
              )}
              <button type="button" onClick={onLogout}>
                <LogOut className="i i-20" aria-hidden />
                Sign Out
              </button>
            </li>
          </ul>
        </nav>
      </div>
    </>
  );
}
