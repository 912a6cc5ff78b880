/** Uncontrolled: the password is never in state, and leaving the page empties the field. */
import { Eye, EyeOff } from "lucide-react";
import { type ReactNode, type RefObject, useEffect, useId } from "react";
import { t } from "../texts/texts.ts";
import { FieldError } from "./Field.tsx";

interface Props {
  label: string;
  fieldRef: RefObject<HTMLInputElement | null>;
  error: string | undefined;
  autoComplete: "new-password" | "current-password";
  isShown: boolean;
  /** Without this callback no button shows the password. */
  onShow?: (isShown: boolean) => void;
  onInput?: () => void;
  hint?: ReactNode;
  disabled?: boolean;
}

/** @returns the password; the field is empty afterwards */
export function takePassword({ current: field }: RefObject<HTMLInputElement | null>): string {
  const password = field?.value ?? "";
  if (field) field.value = "";
  return password;
}

export function PasswordField(props: Props) {
  const { label, fieldRef, error, autoComplete, isShown, onShow, onInput, hint, disabled } = props;
  const id = useId();
  useEffect(() => {
    const empty = () => void takePassword(fieldRef);
    window.addEventListener("pagehide", empty);
    return () => window.removeEventListener("pagehide", empty);
  }, [fieldRef]);
  const describedBy = [error ? `${id}-error` : "", hint ? `${id}-hint` : ""].filter((part) => part !== "").join(" ");
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <div className={onShow === undefined ? undefined : "password"}>
        <input
          className="input"
          id={id}
          ref={fieldRef}
          type={isShown ? "text" : "password"}
          autoComplete={autoComplete}
          autoCapitalize="none"
          spellCheck={false}
          disabled={disabled}
          aria-invalid={error ? true : undefined}
          aria-describedby={describedBy === "" ? undefined : describedBy}
          onInput={onInput}
        />
        {onShow === undefined ? null : (
          <button
            type="button"
            className="icon-btn"
            aria-label={t("Show password")}
            aria-pressed={isShown}
            disabled={disabled}
            onClick={() => onShow(!isShown)}
          >
            {isShown ? <EyeOff className="i" aria-hidden /> : <Eye className="i" aria-hidden />}
          </button>
        )}
      </div>
      <FieldError id={`${id}-error`}>{error}</FieldError>
      {hint ? (
        <p className="hint" id={`${id}-hint`}>
          {hint}
        </p>
      ) : null}
    </div>
  );
}
