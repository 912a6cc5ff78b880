/** One row of the message form: the label left, the control beside it, the error below. */
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
  children: (control: ControlProps) => ReactNode;
}

interface RowProps extends Props {
  /** What the row says about its value, below the error. */
  hint?: ReactNode;
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

export function MessageRow({ label, error, hint, children }: RowProps) {
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

/** The row of the message's text: the label above, the field across the whole width. */
export function MessageBody({ label, error, children }: Props) {
  const { control, errorId } = useControl(error);
  return (
    <div className="message-text">
      <label className="label-in" htmlFor={control.id}>
        {label}
      </label>
      {children(control)}
      <FieldError id={errorId}>{error}</FieldError>
    </div>
  );
}
