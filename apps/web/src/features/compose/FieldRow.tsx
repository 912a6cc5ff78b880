/** A row of the letter's head: label, control, and what is wrong. */
import { type ReactNode, useId } from "react";
import { FieldError } from "../../ui/Field.tsx";

export interface ControlProps {
  id: string;
  "aria-invalid": true | undefined;
  "aria-describedby": string | undefined;
}

interface Props {
  label: string;
  error: string | undefined;
  hint?: ReactNode;
  children: (control: ControlProps) => ReactNode;
}

function useControl(error: string | undefined): { control: ControlProps; errorId: string } {
  const id = useId();
  const errorId = `${id}-error`;
  const control = {
    id,
    "aria-invalid": error ? (true as const) : undefined,
    "aria-describedby": error ? errorId : undefined,
  };
  return { control, errorId };
}

export function FieldRow({ label, error, hint, children }: Props) {
  const { control, errorId } = useControl(error);
  return (
    <div className="hdr">
      <label htmlFor={control.id}>{label}</label>
      {children(control)}
      <FieldError id={errorId}>{error}</FieldError>
      {hint}
    </div>
  );
}

export function MessageBody({ label, error, hint, children }: Props) {
  const { control, errorId } = useControl(error);
  return (
    <div className="message-text">
      <label className="label-in" htmlFor={control.id}>
        {label}
      </label>
      {children(control)}
      <FieldError id={errorId}>{error}</FieldError>
      {hint}
    </div>
  );
}
