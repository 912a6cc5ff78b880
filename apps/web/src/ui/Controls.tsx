import { ChevronDown, type LucideIcon } from "lucide-react";
import type { ReactNode, Ref, SelectHTMLAttributes } from "react";

interface Props {
  icon: LucideIcon;
  label: string;
  /** Where the tooltip is too short for screen readers. */
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

interface SelectProps extends SelectHTMLAttributes<HTMLSelectElement> {
  mono?: boolean;
  /** After the children; a value alone is its own text. */
  options?: readonly (string | number | readonly [value: string | number, text: ReactNode])[];
  ref?: Ref<HTMLSelectElement>;
}

export function Select({ mono = false, options = [], children, ...select }: SelectProps) {
  return (
    <span className="select">
      <select {...select} className={mono ? "input mono" : "input"}>
        {children}
        {options.map((option) => {
          const [value, text] = typeof option === "object" ? option : [option, option];
          return (
            <option key={value} value={value}>
              {text}
            </option>
          );
        })}
      </select>
      <ChevronDown className="i" aria-hidden />
    </span>
  );
}

/** An eye slit: empty when off, with a lit pupil when on. */
interface SwitchProps {
  checked: boolean;
  label: string;
  onChange: (checked: boolean) => void;
}

export function Switch({ checked, label, onChange }: SwitchProps) {
  return (
    <button
      type="button"
      className="switch"
      role="switch"
      aria-checked={checked}
      aria-label={label}
      onClick={() => onChange(!checked)}
    />
  );
}
