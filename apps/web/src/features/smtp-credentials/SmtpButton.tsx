/** Opens and closes the SMTP panel of an alias' row. */
import { ChevronDown } from "lucide-react";

interface Props {
  address: string;
  panelId: string;
  isOpen: boolean;
  onToggle: () => void;
}

export function SmtpButton({ address, panelId, isOpen, onToggle }: Props) {
  return (
    <button
      type="button"
      className="btn btn-quiet btn-sm smtp-btn"
      aria-label={`SMTP settings of ${address}`}
      aria-expanded={isOpen}
      aria-controls={isOpen ? panelId : undefined}
      onClick={onToggle}
    >
      SMTP
      <ChevronDown className="i" aria-hidden />
    </button>
  );
}
