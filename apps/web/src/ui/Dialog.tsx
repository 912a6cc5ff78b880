/**
 * Radix's modal mode injects a style that our CSP forbids, so we make the rest inert ourselves. Toasts stay usable;
 * Escape closes the dialog before a toast, unless the toast has the focus.
 */
import { X } from "lucide-react";
import { Dialog as Radix } from "radix-ui";
import { type FormEvent, type ReactNode, type RefObject, useEffect, useEffectEvent, useRef, useState } from "react";
import { t } from "../texts/texts.ts";
import { closePanel, isTopPanel, openPanel, scrollbarPx } from "./panels.ts";
import { SubmitButton } from "./SubmitButton.tsx";
import { holdsSecret, useAskBeforeLeaving } from "./use-ask-before-leaving.ts";

interface Props {
  title: ReactNode;
  description: string;
  /** The user has to choose: no close button, a press outside does nothing, Escape is the harmless button. */
  hasToChoose?: boolean;
  /** A dialog looks like a sheet at the window's side, or a command palette with an unseen title. */
  look?: "sheet" | "palette";
  /** Called by Escape in place of `onClose`. */
  onEscape?: () => void;
  /** What is lost, said before a dialog with a typed secret is closed by Escape or its button; leaving the page asks too. */
  asks?: string;
  /** The element that gets the focus afterwards; by default the one that had it before. */
  returnTo?: () => HTMLElement | null;
  onClose: () => void;
  /** Buttons beside the title. */
  tools?: ReactNode;
  children: ReactNode;
}

function usePageInert(panel: RefObject<HTMLElement | null>, returnTo: Props["returnTo"]): void {
  const [{ opener, findReturn, scrollbar }] = useState(() => ({
    opener: document.activeElement,
    findReturn: returnTo,
    scrollbar: scrollbarPx(),
  }));
  useEffect(() => {
    const own = panel.current;
    if (own === null) return;
    openPanel(own, scrollbar);
    return () => {
      closePanel(own);
      const before = opener instanceof HTMLElement && opener.isConnected ? opener : document.querySelector("main");
      (findReturn?.() ?? before)?.focus({ preventScroll: true });
    };
  }, [opener, findReturn, scrollbar, panel]);
}

/** Handles Escape in the capture phase, before Radix, which would close whatever opened last, even a toast. */
function useEscape(panel: RefObject<HTMLElement | null>, onClose: () => void): void {
  const close = useEffectEvent(onClose);
  useEffect(() => {
    const stop = new AbortController();
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== "Escape" || event.isComposing || !isTopPanel(panel.current)) return;
      if (document.activeElement?.closest(".toasts")) return;
      event.stopPropagation();
      event.preventDefault();
      close();
    };
    window.addEventListener("keydown", onKey, { capture: true, signal: stop.signal });
    return () => stop.abort();
  }, [panel]);
}

/** Whether a press outside would lose typed text or work. Reads the inputs: passwords are not in state. */
function holdsWork(panel: HTMLElement): boolean {
  const typed = panel.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>(
    "textarea, input:not([type=radio], [type=checkbox], [readonly], [hidden])",
  );
  return [...typed].some(({ value }) => value !== "") || panel.querySelector(".btn[aria-disabled=true]") !== null;
}

function Panel(props: Props) {
  const { title, description, hasToChoose = false, look, onEscape, asks, returnTo, onClose, tools, children } = props;
  const scrim = useRef<HTMLDivElement>(null);
  const [isAsking, setIsAsking] = useState(false);
  const askOr = (close: () => void) => (asks !== undefined && holdsSecret(scrim.current) ? setIsAsking(true) : close());
  usePageInert(scrim, returnTo);
  useEscape(scrim, () => askOr(onEscape ?? onClose));
  useAskBeforeLeaving(scrim, asks !== undefined);
  const onPress = (target: EventTarget) => {
    if (target === scrim.current && !hasToChoose && (look === "palette" || !holdsWork(scrim.current))) onClose();
  };
  return (
    // The backdrop closes the dialog for pointers only; it moves no focus.
    <div
      className={look === undefined ? "scrim" : `scrim scrim-${look}`}
      role="presentation"
      ref={scrim}
      onPointerDown={(event) => onPress(event.target)}
      onMouseDown={(event) => event.target === scrim.current && event.preventDefault()}
    >
      <Radix.Content
        className={look === undefined ? "dialog" : `dialog ${look}`}
        aria-modal="true"
        onInteractOutside={(event) => event.preventDefault()}
        // A sheet is read first, and its first control would change data.
        onOpenAutoFocus={(event) => {
          if (look !== "sheet") return;
          event.preventDefault();
          scrim.current?.querySelector<HTMLElement>(".dialog")?.focus();
        }}
        onCloseAutoFocus={(event) => event.preventDefault()}
      >
        <header>
          <Radix.Title>{title}</Radix.Title>
          <Radix.Description>{description}</Radix.Description>
          {tools}
        </header>
        {children}
        {hasToChoose ? null : (
          <button type="button" className="icon-btn close" aria-label={t("Close")} onClick={() => askOr(onClose)}>
            <X className="i i-20" aria-hidden />
          </button>
        )}
        {isAsking ? <AskToClose text={asks} onLeave={onClose} onStay={() => setIsAsking(false)} /> : null}
      </Radix.Content>
    </div>
  );
}

export function Dialog(props: Props) {
  return (
    <Radix.Root open modal={false} onOpenChange={(open) => open || props.onClose()}>
      <Radix.Portal>
        <Panel {...props} />
      </Radix.Portal>
    </Radix.Root>
  );
}

function AskToClose({ text = "", onLeave, onStay }: { text?: string; onLeave: () => void; onStay: () => void }) {
  return (
    <Dialog hasToChoose title={t("Close and lose what you typed?")} description={text} onClose={onStay}>
      <footer>
        <button type="button" className="btn" onClick={onLeave}>
          {t("Close")}
        </button>
        {/* A key pressed by habit must not close both. */}
        <button type="button" className="btn btn-primary" autoFocus onClick={onStay}>
          {t("Go Back")}
        </button>
      </footer>
    </Dialog>
  );
}

interface FooterProps {
  onCancel: () => void;
  cancel?: string;
  /** Whether work is in progress, during which Cancel can't be pressed. */
  isBusy?: boolean;
  children?: ReactNode;
}

export function DialogFooter({ onCancel, cancel = t("Cancel"), isBusy, children }: FooterProps) {
  return (
    <footer>
      <button type="button" className="btn" onClick={onCancel} disabled={isBusy}>
        {cancel}
      </button>
      {children}
    </footer>
  );
}

interface ActionProps extends Pick<Props, "title" | "description" | "returnTo" | "onClose"> {
  label: string;
  /** Whether the action is in progress, during which the dialog can't be closed. */
  pending?: boolean;
  pendingLabel?: string;
  look?: string;
  disabled?: boolean;
  children?: ReactNode;
}

/** Asks before an action that can't be undone. */
export function ConfirmDialog(props: ActionProps & { cancel?: string; onConfirm: () => void }) {
  const { title, description, label, pending = false, pendingLabel = t("Deleting..."), look = "btn-danger" } = props;
  const { cancel, disabled, returnTo, onConfirm, onClose, children } = props;
  return (
    <Dialog title={title} description={description} returnTo={returnTo} onClose={() => pending || onClose()}>
      {children}
      <DialogFooter cancel={cancel} onCancel={onClose} isBusy={pending}>
        <SubmitButton type="button" className={look} {...{ pending, pendingLabel, disabled }} onClick={onConfirm}>
          {label}
        </SubmitButton>
      </DialogFooter>
    </Dialog>
  );
}

interface FormDialogProps extends ActionProps, Pick<Props, "asks"> {
  id?: string;
  /** Whether closing the dialog stops the work. */
  canStop?: boolean;
  onSubmit: (event: FormEvent<HTMLFormElement>) => unknown;
}

export function FormDialog(props: FormDialogProps) {
  const { title, description, label, pending = false, pendingLabel = t("Saving..."), look = "btn-primary" } = props;
  const { id, asks, canStop = false, disabled, returnTo, onSubmit, onClose, children } = props;
  const isHeld = pending && !canStop;
  return (
    <Dialog {...{ title, description, asks, returnTo }} onClose={() => isHeld || onClose()}>
      <form id={id} className="contents" onSubmit={(event) => void onSubmit(event)} noValidate>
        <div className="body">{children}</div>
        <DialogFooter onCancel={onClose} isBusy={isHeld}>
          <SubmitButton className={look} {...{ pending, pendingLabel, disabled }}>
            {label}
          </SubmitButton>
        </DialogFooter>
      </form>
    </Dialog>
  );
}
