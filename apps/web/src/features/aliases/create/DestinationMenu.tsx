/** The account's destinations under "Forward to": a list of options by the pattern of a combobox. */
import { Check } from "lucide-react";
import { type KeyboardEvent, type MouseEvent, useState } from "react";
import { t } from "../../../texts/texts.ts";
import type { Offer } from "./offered-destinations.ts";
import { hasDestination } from "./read-typed.ts";
import type { DestinationTokens } from "./use-destinations.ts";

interface Parts {
  /** Id of the field. */
  id: string;
  offers: readonly Offer[];
  destinations: DestinationTokens;
}

const NONE = -1;
const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

export function useMenu({ id, offers, destinations }: Parts) {
  const [isAsked, setAsked] = useState(false);
  const [active, setActive] = useState(NONE);
  const { typing, tokens } = destinations;
  const wanted = typing.trim().toLowerCase();
  const shown = offers.filter(({ destination }) => destination.toLowerCase().includes(wanted));
  const isOpen = isAsked && shown.length > 0;
  const chosen = isOpen ? shown[active] : undefined;
  const show = (isShown: boolean) => {
    setAsked(isShown);
    setActive(NONE);
  };
  const move = (step: number) => {
    const from = isOpen ? active : NONE;
    setAsked(true);
    if (shown.length > 0)
      setActive(from === NONE && step < 0 ? shown.length - 1 : (from + step + shown.length) % shown.length);
  };
  const keys: Record<string, () => boolean> = {
    Enter: () => chosen !== undefined && (destinations.toggle(chosen.destination), true),
    Escape: () => isOpen && (show(false), true),
    Tab: () => (show(false), false),
  };
  return {
    listId: `${id}-offers`,
    isOpen,
    shown,
    active,
    isChosen: (destination: string) => hasDestination(tokens, destination),
    pick: destinations.toggle,
    toggle: () => show(!isOpen),
    close: () => show(false),
    onTyped: (value: string) => show(value.trim() !== "" && !value.includes(",")),
    /** @returns whether the key was the menu's */
    onKey(event: KeyboardEvent): boolean {
      const step = steps[event.key];
      if (step !== undefined) move(step);
      const isTaken = step !== undefined || keys[event.key]?.() === true;
      if (isTaken) event.preventDefault();
      return isTaken;
    },
    inputProps: {
      role: "combobox",
      "aria-autocomplete": "list",
      "aria-expanded": isOpen,
      "aria-controls": isOpen ? `${id}-offers` : undefined,
      "aria-activedescendant": chosen === undefined ? undefined : `${id}-offers-${active}`,
    } as const,
  };
}

/** The focus stays in the field. */
export const keepFocus = (event: MouseEvent) => event.preventDefault();

export function DestinationMenu({ menu }: { menu: ReturnType<typeof useMenu> }) {
  const { listId, isOpen, shown, active, isChosen, pick } = menu;
  if (!isOpen) return null;
  return (
    <div className="offers" role="listbox" id={listId} aria-label={t("Your destinations")} aria-multiselectable="true">
      {shown.map(({ destination, note }, at) => (
        <button
          key={destination}
          type="button"
          role="option"
          tabIndex={-1}
          id={`${listId}-${at}`}
          className={at === active ? "is-active" : undefined}
          aria-selected={isChosen(destination)}
          ref={at === active ? (element) => element?.scrollIntoView({ block: "nearest" }) : undefined}
          onMouseDown={keepFocus}
          onClick={() => pick(destination)}
        >
          <Check className="i" aria-hidden />
          <span className="addr">{destination}</span>
          <span className="muted">{note}</span>
        </button>
      ))}
    </div>
  );
}
