/** Repeats a check while the tab is visible, later each time that nothing has changed. */

const FIRST_MS = 15_000;
const LONGEST_MS = 120_000;

/** @param unchanged checks since the last that found something new */
export const recheckDelayMs = (unchanged: number): number => Math.min(LONGEST_MS, FIRST_MS * 2 ** unchanged);

interface Tab {
  isHidden: () => boolean;
  /** @returns a function that ends the listening */
  onChange: (listener: () => void) => () => void;
}

const thisTab: Tab = {
  isHidden: () => document.visibilityState === "hidden",
  onChange: (listener) => {
    document.addEventListener("visibilitychange", listener);
    return () => document.removeEventListener("visibilitychange", listener);
  },
};

/**
 * A check that falls due in a hidden tab is made when the tab is shown again.
 * @param check resolves to whether it found something new; never rejects
 * @returns a function that ends the repetition
 */
export function repeatCheck(check: () => Promise<boolean>, tab: Tab = thisTab): () => void {
  let unchanged = 0;
  let dueAt = Date.now() + recheckDelayMs(0);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isRunning = false;
  let isOver = false;
  const plan = () => {
    clearTimeout(timer);
    if (isOver || isRunning || tab.isHidden()) return;
    timer = setTimeout(() => void run(), Math.max(0, dueAt - Date.now()));
  };
  const run = async () => {
    isRunning = true;
    unchanged = (await check()) ? 0 : unchanged + 1;
    isRunning = false;
    dueAt = Date.now() + recheckDelayMs(unchanged);
    plan();
  };
  const stopListening = tab.onChange(plan);
  plan();
  return () => {
    isOver = true;
    clearTimeout(timer);
    stopListening();
  };
}
