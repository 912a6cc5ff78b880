/** An icon with its words as label and tooltip. */
import type { LucideIcon } from "lucide-react";

interface Props {
  icon: LucideIcon;
  label: string;
  /** What a screen reader hears when the tooltip's word alone says too little. */
  fullLabel?: string;
  className?: string;
  onClick: () => void;
}

export function IconButton({ icon: Icon, label, fullLabel, className = "", onClick }: Props) {
  return (
    <button
      type="button"
      className={`icon-btn ${className}`}
      aria-label={fullLabel ?? label}
      data-tip={label}
      onClick={onClick}
    >
      <Icon className="i" aria-hidden />
    </button>
  );
}
