/**
 * The menu of windows narrower than 1024 px: the four links, the balance, the command palette, Sign Out. Escape and a
 * click outside close the menu.
 */
import { LogOut, Menu, Search, X } from "lucide-react";
import { useId, useRef, useState } from "react";
import { openPalette } from "../../features/palette/palette-store.ts";
import { useLeaving } from "../../ui/use-leaving.ts";
import { NavItems } from "./NavLinks.tsx";

interface Props {
  path: string;
  balance: string | null;
  onLogout: () => void;
}

export function MobileMenu({ path, balance, onLogout }: Props) {
  const [open, setOpen] = useState(false);
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  useLeaving(open, ".topbar", (byKey) => {
    setOpen(false);
    if (byKey) button.current?.focus();
  });
  const onCommands = () => {
    setOpen(false);
    // On closing, the command palette returns the focus to the element that has it now.
    button.current?.focus();
    openPalette();
  };
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
              <button type="button" onClick={onCommands}>
                <Search className="i i-20" aria-hidden />
                Commands
              </button>
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
