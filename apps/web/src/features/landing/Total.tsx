/** A figure, shown as a bar until the server has sent it. Without script the figure is visible at once. */
import type { Figure } from "./totals.ts";

export function Total({ text, isPending }: Figure) {
  return <b className={isPending ? "pending" : undefined}>{text}</b>;
}
