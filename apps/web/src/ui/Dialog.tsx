/**
 * A dialog over an inert page. Radix's own modal mode injects an inline style for its scroll lock, which our CSP refuses, so
 * the dialog is non-modal to Radix and we make the rest inert and lock the scroll by an attribute. Toasts stay usable.
 */
import { X } from "lucide-react";
import { Dialog as Radix } from "radix-ui";
import { type ReactNode, useEffect, useRef, useState } from "react";

interface Props {
  title: string;
  description: string;
  onClose: () => void;
  children: ReactNode;
}

function usePageInert(): void {
  const [opener] = useState(() => document.activeElement);
  useEffect(() => {
    const shell = document.querySelector<HTMLElement>(".shell");
    shell?.setAttribute("inert", "");
    const root = document.documentElement;
    root.style.setProperty("--scrollbar", `${window.innerWidth - root.clientWidth}px`);
    root.dataset.locked = "";
    return () => {
      shell?.removeAttribute("inert");
      delete root.dataset.locked;
      const back = opener instanceof HTMLElement && opener.isConnected ? opener : document.querySelector("main");
      back?.focus({ preventScroll: true });
    };
  }, [opener]);
}

function Panel({ title, description, onClose, children }: Props) {
  usePageInert();
  const scrim = useRef<HTMLDivElement>(null);
  return (
    // The scrim is a pointer's shortcut; Escape and two buttons close the dialog too
    <div className="scrim" ref={scrim} onPointerDown={(event) => event.target === scrim.current && onClose()}>
      <Radix.Content
        className="dialog"
        aria-modal="true"
        onInteractOutside={(event) => event.preventDefault()}
        onCloseAutoFocus={(event) => event.preventDefault()}
      >
        <header>
          <Radix.Title>{title}</Radix.Title>
          <Radix.Description>{description}</Radix.Description>
        </header>
        {children}
        <Radix.Close className="icon-btn close" aria-label="Close">
          <X className="i i-20" aria-hidden />
        </Radix.Close>
      </Radix.Content>
    </div>
  );
}

/** Mounted while open: the caller shows it or not. */
export function Dialog(props: Props) {
  return (
    <Radix.Root open modal={false} onOpenChange={(open) => open || props.onClose()}>
      <Radix.Portal>
        <Panel {...props} />
      </Radix.Portal>
    </Radix.Root>
  );
}
