/** Toasts last 5 s, destructive ones 7 s; hover and focus pause. F8 focuses the region; a swipe of 50 px dismisses. */
import { toastTimes } from "@kauke/contract";
import { Check, CircleAlert, Clock, Info, X } from "lucide-react";
import { Toast } from "radix-ui";
import { type CSSProperties, useState } from "react";
import { createPortal } from "react-dom";
import { t } from "../texts/texts.ts";
import { closeToast, type ShownToast, useToast } from "./toast-store.ts";

const icons = { good: Check, info: Info, bad: CircleAlert, clock: Clock };

function ToastCard({ toast }: { toast: ShownToast }) {
  const [paused, setPaused] = useState(false);
  const variant = toast.variant ?? "good";
  const Icon = icons[toast.icon ?? variant];
  const visibleMs = toast.visibleMs ?? (variant === "bad" ? toastTimes.destructiveMs : toastTimes.visibleMs);
  return (
    <Toast.Root
      className={`toast ${variant}`}
      open={toast.open}
      onOpenChange={(open) => open || closeToast()}
      duration={visibleMs}
      onPause={() => setPaused(true)}
      onResume={() => setPaused(false)}
      data-paused={paused ? "" : undefined}
      style={{ "--visible": `${visibleMs}ms` } as CSSProperties}
    >
      <Icon className="i" aria-hidden />
      <div>
        <Toast.Title className="head">{toast.title}</Toast.Title>
        {toast.description ? <Toast.Description className="text">{toast.description}</Toast.Description> : null}
        {toast.note ? <p className="text">{toast.note}</p> : null}
      </div>
      {toast.action === undefined ? (
        <span />
      ) : (
        <Toast.Action className="btn btn-sm" altText={toast.action.spoken} onClick={toast.action.onAct}>
          {toast.action.label}
        </Toast.Action>
      )}
      <Toast.Close className="icon-btn" aria-label={t("Dismiss")}>
        <X className="i" aria-hidden />
      </Toast.Close>
    </Toast.Root>
  );
}

export function Toaster() {
  const toast = useToast();
  return createPortal(
    <Toast.Provider swipeDirection="right" swipeThreshold={toastTimes.swipePx}>
      {toast === null ? null : <ToastCard key={toast.id} toast={toast} />}
      <Toast.Viewport className="toasts" />
    </Toast.Provider>,
    document.body,
  );
}
