/** Remaining time as `0:27`, rounded up to whole seconds, so that it starts at `0:30` and ends at `0:00`. */
export function countdownText(leftMs: number): string {
  const seconds = Math.max(0, Math.ceil(leftMs / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
