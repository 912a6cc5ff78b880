/** One tooltip layer for all `data-tip` elements, since a list page has hundreds. Visual only: labels say the same. */
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";

const LEAVE_MS = 80;

function tipOf(target: EventTarget | null): HTMLElement | null {
  return target instanceof Element ? target.closest<HTMLElement>("[data-tip], .tip") : null;
}

function useTipAnchor(): HTMLElement | null {
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const shown = useRef<HTMLElement | null>(null);
  const closedAt = useRef<number | null>(null);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const show = (next: HTMLElement | null) => {
      clearTimeout(timer);
      if (shown.current !== null && next === null) closedAt.current = performance.now();
      shown.current = next;
      setAnchor(next);
    };
    const showLater = (next: HTMLElement | null, ms: number) => {
      clearTimeout(timer);
      timer = setTimeout(() => show(next), ms);
    };
    const enter = (element: HTMLElement | null) => {
      if (element === null) return shown.current === null ? clearTimeout(timer) : showLater(null, LEAVE_MS);
      if (element === shown.current || element.classList.contains("tip")) return clearTimeout(timer);
      const delay = shown.current === null ? tooltipDelayMs(performance.now(), closedAt.current) : 0;
      showLater(element, delay);
    };
    const onOver = (event: PointerEvent) => event.pointerType === "mouse" && enter(tipOf(event.target));
    const onFocus = (event: FocusEvent) => {
      const element = tipOf(event.target);
      enter(element?.matches(":focus-visible") ? element : null);
    };
    const onKey = (event: KeyboardEvent) => event.key === "Escape" && show(null);
    const hide = () => show(null);
    const stop = new AbortController();
    const options = { signal: stop.signal };
    document.addEventListener("pointerover", onOver, options);
    document.addEventListener("focusin", onFocus, options);
    document.addEventListener("focusout", hide, options);
    document.addEventListener("keydown", onKey, options);
    document.addEventListener("pointerdown", hide, options);
    document.addEventListener("scroll", hide, { ...options, capture: true, passive: true });
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, []);
  return anchor;
}

export function TooltipLayer() {
  const anchor = useTipAnchor();
  const tip = useRef<HTMLDivElement>(null);
  const text = anchor?.isConnected ? anchor.dataset.tip : undefined;
  useLayoutEffect(() => {
    if (!text || anchor === null || tip.current === null) return;
    const { left, top } = placeTip(anchor.getBoundingClientRect(), tip.current.getBoundingClientRect(), innerWidth);
    Object.assign(tip.current.style, { left: `${left}px`, top: `${top}px` });
  });
  if (!text) return null;
  return createPortal(
    <div className="tip" role="tooltip" ref={tip}>
      {text}
    </div>,
    document.body,
  );
}

/** A tooltip opens after 700 ms, or at once within 300 ms after another (specification section 9). */
const tooltipTimes = { openMs: 700, skipMs: 300 } as const;

/** @param closedAt of the last tooltip, on the same clock as `now` */
export function tooltipDelayMs(now: number, closedAt: number | null): number {
  return closedAt !== null && now - closedAt <= tooltipTimes.skipMs ? 0 : tooltipTimes.openMs;
}

/** Places a tip above its anchor, below if there is no room, inside the window; in CSS pixels of the viewport. */
export function placeTip(
  anchor: { left: number; top: number; width: number; height: number },
  tip: { width: number; height: number },
  windowWidth: number,
): { left: number; top: number } {
  const gap = 6;
  const edge = 8;
  const centred = anchor.left + anchor.width / 2 - tip.width / 2;
  const left = Math.max(edge, Math.min(centred, windowWidth - tip.width - edge));
  const above = anchor.top - tip.height - gap;
  return { left, top: above >= edge ? above : anchor.top + anchor.height + gap };
}
