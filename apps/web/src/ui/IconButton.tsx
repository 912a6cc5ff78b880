/** A button with an icon, whose label is also its tooltip. */
import type { LucideIcon } from "lucide-react";

interface Props {
  icon: LucideIcon;
  label: string;
  /** Label for screen readers, where the tooltip's text alone is too short. */
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
