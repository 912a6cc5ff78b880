/** Destinations as tokens in one field, with a menu of the account's own; what the form sends stays a text. */
import { ArrowRight, ChevronDown, Webhook, X } from "lucide-react";
import { type FocusEvent, type KeyboardEvent, type MouseEvent, useId, useRef } from "react";
import { useController } from "react-hook-form";
import { said } from "../../../texts/said.ts";
import { t } from "../../../texts/texts.ts";
import { describedBy, FieldError, verbatim } from "../../../ui/Field.tsx";
import { withHidden } from "../../../ui/text/hidden-character.ts";
import { isUrl } from "../alias-text.ts";
import { DestinationMenu, keepFocus, useMenu } from "./DestinationMenu.tsx";
import type { Offer } from "./offered-destinations.ts";
import { isDestination, pastedInto, wrongDestinations } from "./read-typed.ts";
import { useSaidTokens } from "./said-tokens.ts";
import { TypoNote } from "./TypoNote.tsx";
import type { CreateState } from "./use-create-form.ts";

interface Props extends Pick<CreateState, "form" | "tidy" | "typo" | "destinations" | "onForwardFocus"> {
  offers: readonly Offer[];
}

/** Leaving the field for the submit button: submitting asks about typos by itself. */
const isSubmitting = ({ relatedTarget }: FocusEvent): boolean =>
  relatedTarget instanceof HTMLButtonElement && relatedTarget.type === "submit";

function Token({ destination, onRemove }: { destination: string; onRemove: () => void }) {
  return (
    <li className={isDestination(destination) ? "token" : "token is-wrong"}>
      {isUrl(destination) ? <Webhook className="i" aria-hidden /> : null}
      <span>{destination}</span>
      <button
        type="button"
        aria-label={t("Remove {destination}", { destination })}
        onMouseDown={keepFocus}
        onClick={onRemove}
      >
        <X className="i" aria-hidden />
      </button>
    </li>
  );
}

/** Keys of the field: the menu's first, then those that make and remove tokens. */
function useKeys({ destinations, tidy, typo }: Props, menu: ReturnType<typeof useMenu>) {
  const { tokens, typing } = destinations;
  return (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.nativeEvent.isComposing || menu.onKey(event)) return;
    if (event.key === "Enter" && typing.trim() !== "") {
      event.preventDefault();
      menu.close();
      typo.ask(tidy.destinations());
    } else if (event.key === "Backspace" && typing === "" && tokens.length > 0) {
      event.preventDefault();
      destinations.setTokens(tokens.slice(0, -1));
    }
  };
}

function Reasons({ wrong }: { wrong: readonly string[] }) {
  if (wrong.length === 0) return null;
  return (
    <div className="hint wrap-anywhere" role="status">
      {wrong.map((reason) => (
        <p key={reason}>{reason}</p>
      ))}
    </div>
  );
}

export function ForwardField(props: Props) {
  const { form, tidy, typo, destinations, offers, onForwardFocus } = props;
  const { tokens, typing } = destinations;
  const id = useId();
  const { field, fieldState } = useController({ control: form.control, name: "forwardTo" });
  const error = fieldState.error?.message;
  const input = useRef<HTMLInputElement | null>(null);
  const focus = () => input.current?.focus();
  const menu = useMenu({ id, offers, destinations });
  const onKeyDown = useKeys(props, menu);
  const { said: announced, onFocus } = useSaidTokens(tokens);
  const tidyAndAsk = () => typo.ask(tidy.destinations());
  // A press on the box is one on its field.
  const onBox = (event: MouseEvent) => {
    if (event.target instanceof Element && event.target.closest("button, input") !== null) return;
    event.preventDefault();
    focus();
  };
  return (
    <div
      className="field forward"
      onFocus={onFocus}
      onBlur={(event) => {
        if (event.currentTarget.contains(event.relatedTarget)) return;
        menu.close();
        field.onBlur();
      }}
    >
      <label htmlFor={id}>{t("Forward to")}</label>
      <div className="forward-box">
        <div
          className="tokens"
          role="presentation"
          data-invalid={error === undefined ? undefined : ""}
          onMouseDown={onBox}
        >
          <ArrowRight className="i arrow" aria-hidden />
          {tokens.length === 0 ? null : (
            <ul aria-label={t("Destinations")}>
              {tokens.map((token) => (
                <Token
                  key={token}
                  destination={token}
                  onRemove={() => {
                    destinations.setTokens(tokens.filter((one) => one !== token));
                    focus();
                  }}
                />
              ))}
            </ul>
          )}
          <input
            ref={(element) => {
              input.current = element;
              field.ref(element);
            }}
            id={id}
            name="forwardTo"
            value={typing}
            inputMode="email"
            {...verbatim}
            {...menu.inputProps}
            placeholder={tokens.length === 0 ? "you@example.org" : undefined}
            {...describedBy(`${id}-error`, error)}
            onFocus={onForwardFocus}
            onKeyDown={onKeyDown}
            onBlur={(event) => {
              if (!isSubmitting(event)) tidyAndAsk();
            }}
            onChange={({ target: { value } }) => {
              typo.drop();
              destinations.type(value);
              menu.onTyped(value);
            }}
            onPaste={(event) => {
              event.preventDefault();
              destinations.paste(pastedInto(event.currentTarget, event.clipboardData.getData("text/plain")));
              tidyAndAsk();
            }}
          />
          {offers.length === 0 ? null : (
            <button
              type="button"
              className="icon-btn"
              aria-label={t("Your destinations")}
              aria-expanded={menu.isOpen}
              onMouseDown={keepFocus}
              onClick={() => {
                menu.toggle();
                focus();
              }}
            >
              <ChevronDown className="i" aria-hidden />
            </button>
          )}
        </div>
        <DestinationMenu menu={menu} />
      </div>
      <FieldError id={`${id}-error`}>
        {error === undefined ? undefined : withHidden(said(error), tokens.join(", "))}
      </FieldError>
      <span className="sr" role="status">
        {announced}
      </span>
      <Reasons wrong={wrongDestinations(tokens)} />
      {typo.question === null ? null : (
        <TypoNote
          key={typo.question.typed}
          question={typo.question}
          onDecide={(isUsed) => {
            typo.decide(isUsed);
            // The pressed button disappears.
            focus();
          }}
        />
      )}
    </div>
  );
}
