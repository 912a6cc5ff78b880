/** When a tooltip opens: after 700 ms, or at once within 300 ms after another has closed (specification section 9). */
export const tooltipTimes = { openMs: 700, skipMs: 300 } as const;

/** @param closedAt when the last tooltip closed, in milliseconds of the same clock as `now`; `null` if none did */
export function tooltipDelayMs(now: number, closedAt: number | null): number {
  return closedAt !== null && now - closedAt <= tooltipTimes.skipMs ? 0 : tooltipTimes.openMs;
}

/**
 * Position of a tooltip: centred above its anchor, below if there is no room, always inside the window.
 * @returns left and top in CSS pixels of the viewport
 */
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
