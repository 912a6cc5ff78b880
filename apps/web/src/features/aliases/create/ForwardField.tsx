import { Check, Webhook } from "lucide-react";
import { type ClipboardEvent, type FocusEvent, type RefObject, useId, useRef } from "react";
import { describedBy, FieldError, verbatim } from "../../../ui/Field.tsx";
import { isUrl } from "../alias-text.ts";
import { hasDestination, readDestinations, toggleDestination, wrongDestinations } from "./read-typed.ts";
import { TypoNote } from "./TypoNote.tsx";
import type { CreateState } from "./use-create-form.ts";

interface Props extends Pick<CreateState, "form" | "shown" | "tidy" | "typo" | "onForwardFocus"> {
  offered: readonly string[];
}

interface ChipsProps {
  offered: readonly string[];
  text: string;
  onChange: (text: string) => void;
}

/** Buttons of offered destinations; one looks pressed while the field contains its destination. */
function Chips({ offered, text, onChange }: ChipsProps) {
  if (offered.length === 0) return null;
  return (
    <ul className="chips" aria-label="Your destinations">
      {offered.map((destination) => {
        const isIn = hasDestination(text, destination);
        const Icon = isIn ? Check : isUrl(destination) ? Webhook : null;
        return (
          <li key={destination}>
            <button
              type="button"
              className="chip"
              aria-pressed={isIn}
              onClick={() => onChange(toggleDestination(text, destination))}
            >
              {Icon === null ? null : <Icon className="i" aria-hidden />}
              <span>{destination}</span>
            </button>
          </li>
        );
      })}
    </ul>
  );
}

/** Pastes lines as separate destinations: a single-line field would drop the line ends. */
function pasteLines(event: ClipboardEvent<HTMLInputElement>, onText: (text: string) => void): void {
  const pasted = event.clipboardData.getData("text/plain");
  if (!/[\r\n]/.test(pasted.trim())) return;
  event.preventDefault();
  const { value, selectionStart, selectionEnd } = event.currentTarget;
  const end = value.length;
  onText(`${value.slice(0, selectionStart ?? end)}${pasted}${value.slice(selectionEnd ?? end)}`);
}

/** Leaving the field for the submit button: submitting asks about typos by itself. */
const isSubmitting = ({ relatedTarget }: FocusEvent): boolean =>
  relatedTarget instanceof HTMLButtonElement && relatedTarget.type === "submit";

/** The pressed button of the typo question disappears, so the field gets the focus. */
function useDecision(typo: Props["typo"], field: RefObject<HTMLDivElement | null>) {
  return (isUsed: boolean) => {
    typo.decide(isUsed);
    field.current?.querySelector("input")?.focus();
  };
}

export function ForwardField({ form, shown, tidy, typo, offered, onForwardFocus }: Props) {
  const id = useId();
  const field = useRef<HTMLDivElement>(null);
  const text = shown.forwardTo;
  const error = form.formState.errors.forwardTo?.message;
  const wrong = error === undefined ? [] : wrongDestinations(text);
  const onDecide = useDecision(typo, field);
  const { onBlur, onChange, ...input } = form.register("forwardTo");
  const tidyAndAsk = () => typo.ask(tidy.destinations());
  return (
    <div className="field" ref={field}>
      <label htmlFor={id}>Forward to</label>
      <input
        {...input}
        id={id}
        value={text}
        className="input mono"
        inputMode="email"
        {...verbatim}
        placeholder="you@example.org"
        {...describedBy(`${id}-error`, error)}
        onFocus={onForwardFocus}
        onChange={(event) => {
          typo.drop();
          void onChange(event);
        }}
        onPaste={(event) => {
          pasteLines(event, (pasted) => tidy.change("forwardTo", readDestinations(pasted)));
          setTimeout(tidyAndAsk);
        }}
        onBlur={(event) => {
          void onBlur(event);
          if (!isSubmitting(event)) tidyAndAsk();
        }}
      />
      <FieldError id={`${id}-error`}>{error}</FieldError>
      {wrong.length === 0 ? null : (
        <div className="hint wrap-anywhere" role="status">
          {wrong.map((reason) => (
            <p key={reason}>{reason}</p>
          ))}
        </div>
      )}
      {typo.question === null ? null : (
        <TypoNote key={typo.question.typed} question={typo.question} onDecide={onDecide} />
      )}
      <Chips offered={offered} text={text} onChange={(changed) => tidy.change("forwardTo", changed)} />
    </div>
  );
}
