/** A combobox with a listbox (WAI-ARIA): the focus stays in the field. */
import { AtSign, CornerDownLeft, Pause, Search } from "lucide-react";
import { type KeyboardEvent, useEffect, useId } from "react";
import { messageOf } from "../../api/error-text.ts";
import { plural } from "../../texts/plural.ts";
import { rich, t } from "../../texts/texts.ts";
import { Button } from "../../ui/Controls.tsx";
import { Dialog } from "../../ui/Dialog.tsx";
import { verbatim } from "../../ui/Field.tsx";
import { countText } from "../../ui/text/count-text.ts";
import { cutNotes, isActive } from "../aliases/alias-text.ts";
import { endEarly } from "./early-keys.ts";
import { closePalette, modifierName } from "./palette-store.ts";
import type { Verb } from "./rank-aliases.ts";
import { type Entry, type Group, type Palette, usePalette } from "./use-palette.ts";

const verbWords: Record<Verb, string> = {
  open: t("Open"),
  copy: t("Copy"),
  pause: t("Pause"),
  activate: t("Activate"),
};

function AliasWords({ entry: { alias, verb } }: { entry: Extract<Entry, { kind: "alias" }> }) {
  const isOn = isActive(alias);
  const Icon = isOn ? AtSign : Pause;
  return (
    <>
      <Icon className="i" aria-hidden />
      <span className="addr">
        <b>{alias.alias}</b>@{alias.domain}
      </span>
      <span className="more">
        {isOn ? null : t("Paused")}
        {!isOn && alias.notes ? " · " : null}
        {alias.notes ? cutNotes(alias.notes) : null}
      </span>
      <span className="act" aria-hidden="true">
        {verbWords[verb]} <CornerDownLeft className="i" />
      </span>
    </>
  );
}

function CommandWords({ entry: { command }, typed }: { entry: Extract<Entry, { kind: "command" }>; typed: string }) {
  const Icon = command.icon;
  return (
    <>
      <Icon className="i" aria-hidden />
      <span className="words">
        {command.does === "create" && typed !== ""
          ? rich("Create alias “{typed}”", { typed: <b>{typed}</b> })
          : command.title}
      </span>
    </>
  );
}

interface OptionProps {
  id: string;
  entry: Entry;
  typed: string;
  isActive: boolean;
  onPoint: () => void;
  onChoose: () => void;
}

function Option({ id, entry, typed, isActive: isChosen, onPoint, onChoose }: OptionProps) {
  return (
    // Options are not focusable, because the field handles the keys.
    <button
      type="button"
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={isChosen}
      className={entry.kind === "alias" && !isActive(entry.alias) ? "paused" : undefined}
      onPointerMove={onPoint}
      onClick={onChoose}
    >
      {entry.kind === "alias" ? <AliasWords entry={entry} /> : <CommandWords entry={entry} typed={typed} />}
    </button>
  );
}

const keyOf = (entry: Entry): string => (entry.kind === "alias" ? entry.alias.id : entry.command.title);

function List({ id, palette }: { id: string; palette: Palette }) {
  const { groups, entries, active, typed, setPlace, choose } = palette;
  const optionId = (entry: Entry) => `${id}-${entries.indexOf(entry)}`;
  return (
    // Pressing the list must not take the focus from the field.
    <div
      className="options"
      id={id}
      role="listbox"
      tabIndex={-1}
      aria-label={t("Aliases and commands")}
      onMouseDown={(event) => event.preventDefault()}
    >
      {groups.map((group: Group) => (
        <div key={group.title} role="group" aria-label={group.title}>
          <div className="group-title" aria-hidden="true">
            {group.title}
          </div>
          {group.entries.map((entry) => (
            <Option
              key={keyOf(entry)}
              id={optionId(entry)}
              entry={entry}
              typed={typed}
              isActive={entries[active] === entry}
              onPoint={() => setPlace(entries.indexOf(entry))}
              onChoose={() => choose(entry)}
            />
          ))}
        </div>
      ))}
    </div>
  );
}

const noneAtAll: Record<Verb, string> = {
  open: t("There is no alias."),
  copy: t("There is no alias."),
  pause: t("There is no active alias."),
  activate: t("There is no paused alias."),
};

const noMatch: Record<Verb, (typed: string) => string> = {
  open: (typed) => t("No alias matches “{typed}”.", { typed }),
  copy: (typed) => t("No alias matches “{typed}”.", { typed }),
  pause: (typed) => t("No active alias matches “{typed}”.", { typed }),
  activate: (typed) => t("No paused alias matches “{typed}”.", { typed }),
};

function States({ palette: { state, error, refetch, entries, verb, typed } }: { palette: Palette }) {
  if (state === "loading")
    return (
      <p className="palette-state" role="status">
        <span className="spin" aria-hidden="true" /> {t("Loading your aliases...")}
      </p>
    );
  if (state === "failed")
    return (
      <div className="palette-state" role="alert">
        <p>
          {t("Your aliases could not be loaded. {reason}", { reason: messageOf(error, t("Something went wrong.")) })}
        </p>
        <Button isSmall onClick={() => void refetch()}>
          {t("Try again")}
        </Button>
      </div>
    );
  if (entries.length === 0)
    return (
      <p className="palette-state" role="status">
        {typed === "" ? noneAtAll[verb] : noMatch[verb](typed)}
      </p>
    );
  return (
    <p className="sr" role="status">
      {plural(entries.length, "{count} result", "{count} results", { count: countText(entries.length) })}
    </p>
  );
}

const step: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

export function CommandPalette() {
  const listId = useId();
  const palette = usePalette();
  const { text, type, verb, entries, active, setPlace, choose } = palette;
  const activeId = active < 0 ? undefined : `${listId}-${active}`;
  useEffect(() => {
    if (activeId !== undefined) document.getElementById(activeId)?.scrollIntoView({ block: "nearest" });
  }, [activeId]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const by = step[event.key];
    if (by !== undefined && entries.length > 0) setPlace((active + by + entries.length) % entries.length);
    else if (event.key === "Enter") choose(entries[active], event.ctrlKey || event.metaKey ? "copy" : undefined);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog
      look="palette"
      title={t("Commands")}
      description={t("Type an alias or a command, choose with the arrow keys, and press Enter.")}
      returnTo={endEarly}
      onClose={closePalette}
    >
      <div className="palette-field">
        <Search className="i i-20" aria-hidden />
        <input
          className="input"
          role="combobox"
          aria-label={t("Alias or command")}
          aria-expanded={entries.length > 0}
          aria-controls={listId}
          aria-activedescendant={activeId}
          aria-autocomplete="list"
          placeholder={t("Jump to an alias, or type a command")}
          {...verbatim}
          enterKeyHint="go"
          // The dialog would select the text that was typed before the code had loaded.
          autoFocus
          value={text}
          onChange={(event) => type(event.target.value)}
          onKeyDown={onKeyDown}
        />
      </div>
      <States palette={palette} />
      <List id={listId} palette={palette} />
      <div className="palette-keys" aria-hidden="true">
        <span>
          <kbd>↑</kbd> <kbd>↓</kbd> {t("move")}
        </span>
        <span>
          <kbd>↵</kbd> {t("choose")}
        </span>
        {verb === "open" ? (
          <span>
            <kbd>{modifierName()}</kbd> <kbd>↵</kbd> {t("copy address")}
          </span>
        ) : null}
        <span>{rich("<kbd>esc</kbd> close", { kbd: (inner) => <kbd>{inner}</kbd> })}</span>
      </div>
    </Dialog>
  );
}
