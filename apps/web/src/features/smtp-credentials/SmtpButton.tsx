import { ChevronDown } from "lucide-react";
import { t } from "../../texts/texts.ts";

interface Props {
  address: string;
  isOpen: boolean;
  onToggle: () => void;
}

/** Opens the alias panel at its part about sending. */
export function SmtpButton({ address, isOpen, onToggle }: Props) {
  return (
    <button
      type="button"
      className="btn btn-quiet btn-sm smtp-btn"
      aria-label={t("SMTP settings of {address}", { address })}
      aria-expanded={isOpen}
      onClick={onToggle}
    >
      {t("SMTP")}
      <ChevronDown className="i" aria-hidden />
    </button>
  );
}
