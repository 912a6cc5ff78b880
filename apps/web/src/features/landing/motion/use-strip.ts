/** The strip of clients drifts unless paused; mouse and finger drag it. */
import { type PointerEvent, type RefObject, useEffect, useRef } from "react";

interface Strip {
  row: RefObject<HTMLUListElement | null>;
  handlers: {
    onPointerDown: (event: PointerEvent<HTMLElement>) => void;
    onPointerMove: (event: PointerEvent<HTMLElement>) => void;
    onPointerUp: () => void;
    onPointerCancel: () => void;
  };
}

/** A longer frame counts as this, so that the strip doesn't jump after the tab was hidden. */
const LONGEST_FRAME_MS = 100;

function widthOf(row: HTMLElement | null): number {
  return row === null ? 0 : row.scrollWidth / STRIP_COPIES;
}

/** Moves the strip. @param x pixels to the right of its place in the layout */
function placeAt(x: number, row: RefObject<HTMLUListElement | null>, state: RefObject<StripState>): void {
  state.current.x = x;
  if (row.current !== null) row.current.style.transform = `translateX(${x}px)`;
}

function useDrift(isPaused: boolean, row: RefObject<HTMLUListElement | null>, state: RefObject<StripState>): void {
  useEffect(() => {
    if (isPaused) return;
    let width = widthOf(row.current);
    const resized = new ResizeObserver(() => (width = widthOf(row.current)));
    if (row.current !== null) resized.observe(row.current);
    let last = performance.now();
    let frame = requestAnimationFrame(function move() {
      const now = performance.now();
      const x = drifted(state.current, { now, elapsedMs: Math.min(now - last, LONGEST_FRAME_MS), width });
      last = now;
      if (x !== state.current.x) placeAt(x, row, state);
      frame = requestAnimationFrame(move);
    });
    return () => {
      cancelAnimationFrame(frame);
      resized.disconnect();
    };
  }, [isPaused, row, state]);
}

export function useStrip(isPaused: boolean): Strip {
  const row = useRef<HTMLUListElement>(null);
  const state = useRef<StripState>({ x: 0, restsUntil: 0 });
  /** Pixels from the pointer to the strip's position while it is dragged. */
  const grip = useRef<number | null>(null);
  useDrift(isPaused, row, state);
  const letGo = () => {
    if (grip.current === null) return;
    grip.current = null;
    state.current.restsUntil = performance.now() + stripTimes.restMs;
  };
  return {
    row,
    handlers: {
      onPointerDown(event) {
        if (event.button !== 0) return;
        grip.current = event.clientX - state.current.x;
        state.current.restsUntil = Number.POSITIVE_INFINITY;
        event.currentTarget.setPointerCapture(event.pointerId);
      },
      onPointerMove(event) {
        if (grip.current !== null) placeAt(wrapped(event.clientX - grip.current, widthOf(row.current)), row, state);
      },
      onPointerUp: letGo,
      onPointerCancel: letGo,
    },
  };
}

/** The strip rests while held and shortly after. */
export const stripTimes = { restMs: 500, pixelsPerSecond: 24 } as const;

/** Copies of the strip's content: with three, the widest window never shows the end. */
export const STRIP_COPIES = 3;

/** Position from 0 to `-width`. @param width of one copy of the strip's content, in pixels; 0 while unknown */
export function wrapped(x: number, width: number): number {
  if (width <= 0) return 0;
  const rest = x % width;
  return rest > 0 ? rest - width : rest + 0;
}

interface StripState {
  x: number;
  /** Until when the strip rests, in milliseconds of `performance.now()`; Infinity while held. */
  restsUntil: number;
}

/** Moves the strip by one animation frame. @param step `width` of one copy of its content @returns the new `x` */
export function drifted(
  { x, restsUntil }: StripState,
  step: { now: number; elapsedMs: number; width: number },
): number {
  if (step.now < restsUntil) return x;
  return wrapped(x - (stripTimes.pixelsPerSecond * step.elapsedMs) / 1000, step.width);
}
