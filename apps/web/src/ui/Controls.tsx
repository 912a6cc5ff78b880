import { ChevronDown, type LucideIcon, Search } from "lucide-react";
import type { ButtonHTMLAttributes, InputHTMLAttributes, ReactNode, Ref, SelectHTMLAttributes } from "react";
import { t } from "../texts/texts.ts";
import { verbatim } from "./Field.tsx";

interface Props {
  icon: LucideIcon;
  label: string;
  /** Label for screen readers where the tooltip is too short for them. */
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

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  look?: "primary" | "quiet" | "danger-line" | "ink";
  isSmall?: boolean;
  icon?: LucideIcon;
  ref?: Ref<HTMLButtonElement>;
}

export function Button({ look, isSmall = false, icon: Icon, children, ...attributes }: ButtonProps) {
  const className = `btn${look === undefined ? "" : ` btn-${look}`}${isSmall ? " btn-sm" : ""}`;
  return (
    <button type="button" {...attributes} className={className}>
      {Icon === undefined ? null : <Icon className="i" aria-hidden />}
      {children}
    </button>
  );
}

interface SelectProps extends SelectHTMLAttributes<HTMLSelectElement> {
  mono?: boolean;
  /** Options after the children; a value alone is its own text. */
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

interface SearchProps extends Omit<InputHTMLAttributes<HTMLInputElement>, "onChange"> {
  label: string;
  onQuery: (query: string) => void;
  ref?: Ref<HTMLInputElement>;
}

export function SearchField({ label, onQuery, ...input }: SearchProps) {
  return (
    <label className="affix">
      <Search className="i" aria-hidden />
      <input
        className="input"
        type="search"
        placeholder={t("Search")}
        aria-label={label}
        // Search terms are neither spell-checked nor completed from earlier searches.
        {...verbatim}
        {...input}
        onChange={(event) => onQuery(event.target.value)}
      />
    </label>
  );
}

/** A switch drawn as an eye slit: empty when off, with a lit pupil when on. */
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
