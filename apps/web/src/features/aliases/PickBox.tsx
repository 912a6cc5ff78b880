/** A checkbox that selects one alias, or all aliases of a page (`use-picking.ts`). */
import type { MouseEvent } from "react";

interface Props {
  label: string;
  checked: boolean | "mixed";
  /** Id of the alias that the checkbox selects. */
  pick?: string;
  onClick: (event: MouseEvent) => void;
}

export function PickBox({ label, checked, pick, onClick }: Props) {
  return (
    <button
      type="button"
      className="pick"
      role="checkbox"
      aria-checked={checked}
      aria-label={label}
      data-pick={pick}
      onClick={onClick}
    />
  );
}
