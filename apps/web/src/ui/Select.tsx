/** The native select element, styled. */
import { ChevronDown } from "lucide-react";
import type { Ref, SelectHTMLAttributes } from "react";

interface Props extends SelectHTMLAttributes<HTMLSelectElement> {
  mono?: boolean;
  ref?: Ref<HTMLSelectElement>;
}

export function Select({ mono = false, ...select }: Props) {
  return (
    <span className="select">
      <select {...select} className={mono ? "input mono" : "input"} />
      <ChevronDown className="i" aria-hidden />
    </span>
  );
}
