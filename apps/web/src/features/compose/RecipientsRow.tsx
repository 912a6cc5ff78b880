/** An address field: each recipient is a token, what is being typed stands behind them. */
import { Lock, X } from "lucide-react";
import {
  type ClipboardEvent,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useId,
  useRef,
  useState,
} from "react";
import { t } from "../../texts/texts.ts";
import { verbatim } from "../../ui/Field.tsx";
import { type ControlProps, FieldRow } from "./FieldRow.tsx";
import {
  isValid,
  type LetterRecipient,
  parseRecipients,
  type RecipientField,
  settled,
  withEntries,
} from "./recipients.ts";

export interface Person {
  address: string;
  publicKey: string | null;
}

interface Props {
  label: string;
  field: RecipientField;
  people: readonly Person[];
  error: string | undefined;
  /** Whether the row has just been added. */
  takesFocus?: boolean;
  /** Buttons at the end of the row. */
  children?: ReactNode;
  onChange: (field: RecipientField) => void;
}

const hasKey = (people: readonly Person[], { address }: LetterRecipient): boolean =>
  people.some((person) => person.publicKey !== null && person.address.toLowerCase() === address.toLowerCase());

interface TokenProps {
  entry: LetterRecipient;
  hasKey: boolean;
  onRemove: () => void;
}

function Token({ entry, hasKey: isKnown, onRemove }: TokenProps) {
  const { address, name } = entry;
  const isWrong = !isValid(entry);
  return (
    <li className={isWrong ? "addressee wrong" : "addressee"}>
      {isKnown ? <Lock className="i" aria-label={t("Key known")} role="img" /> : null}
      <span title={name === "" ? undefined : `${name} <${address}>`}>{address}</span>
      {isWrong ? <span className="sr">{t("is not a valid address")}</span> : null}
      <button type="button" tabIndex={-1} aria-label={t("Remove {address}", { address })} onClick={onRemove}>
        <X className="i" aria-hidden />
      </button>
    </li>
  );
}

/** A comma within quotes is part of a name. */
const isQuoteOpen = (text: string): boolean => (text.match(/"/g)?.length ?? 0) % 2 === 1;

const removeButtons = (list: HTMLElement | null): HTMLButtonElement[] => [...(list?.querySelectorAll("button") ?? [])];

/** Moves among the tokens' buttons by arrow keys; from the field, the left arrow at its start leads to the last one. */
function moveAmong(event: KeyboardEvent<HTMLElement>, list: HTMLElement | null, input: HTMLInputElement | null): void {
  const stops = [...removeButtons(list), ...(input === null ? [] : [input])] as HTMLElement[];
  const at = stops.indexOf(event.target as HTMLElement);
  const step = event.key === "ArrowLeft" ? -1 : event.key === "ArrowRight" ? 1 : 0;
  const isInField = event.target === input;
  if (step === 0 || (isInField && (step === 1 || input?.selectionStart !== 0 || input.selectionEnd !== 0))) return;
  const next = stops[at + step];
  if (next === undefined) return;
  event.preventDefault();
  next.focus();
}

function addedText(added: readonly LetterRecipient[], wrong: readonly LetterRecipient[]): string {
  const list = (entries: readonly LetterRecipient[]) => entries.map(({ address }) => address).join(", ");
  const addresses = list(added);
  return wrong.length === 0
    ? t("{addresses} added", { addresses })
    : t("{addresses} added, not valid: {wrong}", { addresses, wrong: list(wrong) });
}

function useTokens({ field, onChange }: Pick<Props, "field" | "onChange">) {
  const list = useRef<HTMLUListElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const [said, setSaid] = useState("");
  const change = (next: RecipientField) => {
    const added = next.entries.filter((entry) => !field.entries.includes(entry));
    const wrong = added.filter((entry) => !isValid(entry));
    if (added.length > 0) setSaid(addedText(added, wrong));
    onChange(next);
  };
  const remove = (entry: LetterRecipient) => {
    setSaid(t("{address} removed", { address: entry.address }));
    onChange({ ...field, entries: field.entries.filter((other) => other !== entry) });
    input.current?.focus();
  };
  const settle = () => change(settled(field));
  const onInputKey = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.nativeEvent.isComposing) return;
    const isSeparator =
      event.key === "," || event.key === ";" || (event.key === "Enter" && !event.ctrlKey && !event.metaKey);
    const last = field.entries.at(-1);
    if (isSeparator && field.text.trim() !== "" && (event.key === "Enter" || !isQuoteOpen(field.text))) {
      event.preventDefault();
      settle();
    } else if (event.key === "Enter" && isSeparator) {
      event.preventDefault();
    } else if (event.key === "Backspace" && field.text === "" && last !== undefined) {
      event.preventDefault();
      setSaid(t("{address} taken back into the field", { address: last.address }));
      onChange({ entries: field.entries.slice(0, -1), text: last.address });
    }
  };
  const onPaste = (event: ClipboardEvent<HTMLInputElement>) => {
    const pasted = parseRecipients(event.clipboardData.getData("text"));
    const isList = pasted.length > 1 || pasted[0]?.name;
    if (!isList || field.text.trim() !== "") return;
    event.preventDefault();
    change(withEntries(field, pasted));
  };
  const onKey = (event: KeyboardEvent<HTMLElement>) => {
    const entry = field.entries[removeButtons(list.current).indexOf(event.target as HTMLButtonElement)];
    if (entry !== undefined && (event.key === "Delete" || event.key === "Backspace")) {
      event.preventDefault();
      remove(entry);
    } else moveAmong(event, list.current, input.current);
  };
  return { list, input, said, remove, settle, onInputKey, onPaste, onKey };
}

interface InputProps extends Pick<Props, "field" | "people" | "takesFocus" | "onChange"> {
  control: ControlProps;
  input: RefObject<HTMLInputElement | null>;
  onBlur: () => void;
  onKeyDown: (event: KeyboardEvent<HTMLInputElement>) => void;
  onPaste: (event: ClipboardEvent<HTMLInputElement>) => void;
}

function AddressInput({ control, input, field, people, takesFocus, onChange, ...handlers }: InputProps) {
  const listId = useId();
  return (
    <>
      <input
        {...control}
        ref={input}
        className="input mono"
        type="text"
        inputMode="email"
        autoFocus={takesFocus}
        list={people.length === 0 ? undefined : listId}
        {...verbatim}
        value={field.text}
        onChange={({ target }) => onChange({ ...field, text: target.value })}
        {...handlers}
      />
      {people.length === 0 ? null : (
        <datalist id={listId}>
          {people.map(({ address }) => (
            <option key={address} value={address} />
          ))}
        </datalist>
      )}
    </>
  );
}

export function RecipientsRow({ label, field, people, error, takesFocus, children, onChange }: Props) {
  const { list, input, said, remove, settle, onInputKey, onPaste, onKey } = useTokens({ field, onChange });
  return (
    <FieldRow label={label} error={error}>
      {(control) => (
        // Keys of the tokens' buttons and of the field, which bubble here. Beside the tokens the field may be narrow.
        <div
          className="recipients"
          role="presentation"
          onKeyDown={onKey}
          onClick={({ target }) => target instanceof Element && !target.closest("button") && input.current?.focus()}
        >
          <div className="addressees">
            {field.entries.length === 0 ? null : (
              <ul ref={list} aria-label={t("Recipients in {label}", { label })}>
                {field.entries.map((entry) => (
                  <Token
                    key={entry.address}
                    entry={entry}
                    hasKey={hasKey(people, entry)}
                    onRemove={() => remove(entry)}
                  />
                ))}
              </ul>
            )}
            <AddressInput
              {...{ control, input, field, people, takesFocus, onChange, onPaste }}
              onBlur={settle}
              onKeyDown={onInputKey}
            />
          </div>
          {children}
          <span className="sr" role="status">
            {said}
          </span>
        </div>
      )}
    </FieldRow>
  );
}
