import { memo, type RefObject, useMemo, useState } from "react";
import { plural } from "../../texts/plural.ts";
import { t } from "../../texts/texts.ts";
import { Select } from "../../ui/Controls.tsx";
import { verbatim } from "../../ui/Field.tsx";
import { addressOf } from "../aliases/alias-text.ts";
import { FieldRow } from "./FieldRow.tsx";
import { SenderHint } from "./SenderHint.tsx";
import { canSend, type SendingAlias } from "./senders.ts";

/** From so many aliases on, the list can be searched. */
const SEARCH_FROM = 10;

function optionText(sender: SendingAlias): string {
  const address = addressOf(sender);
  if (canSend(sender)) return address;
  return sender.state === "domain"
    ? t("{address} (records of the domain missing)", { address })
    : t("{address} (paused)", { address });
}

/** Memoized: there may be thousands of aliases to choose from. */
const Options = memo(function Options({ senders }: { senders: readonly SendingAlias[] }) {
  return senders.map((sender) => (
    <option key={sender.id} value={sender.id} disabled={!canSend(sender)}>
      {optionText(sender)}
    </option>
  ));
});

interface Props {
  senders: readonly SendingAlias[] | undefined;
  chosen: string;
  error: string | undefined;
  field: RefObject<HTMLSelectElement | null>;
  onChoose: (aliasId: string) => void;
}

function useSearch({ senders, chosen, onChoose }: Props) {
  const [query, setQuery] = useState("");
  const word = query.trim().toLowerCase();
  const found = useMemo(
    () => (word === "" ? senders : senders?.filter((sender) => addressOf(sender).toLowerCase().includes(word))),
    [senders, word],
  );
  // The chosen alias stays listed: a select without its value would show another one.
  const shown = useMemo(() => {
    const kept = senders?.find(({ id }) => id === chosen);
    return found === undefined || kept === undefined || found.includes(kept) ? found : [kept, ...found];
  }, [senders, found, chosen]);
  const chooseFirst = () => {
    const first = found?.find(canSend);
    if (first === undefined) return false;
    onChoose(first.id);
    setQuery("");
    return true;
  };
  return { query, setQuery, shown, count: word === "" ? null : (found?.length ?? 0), chooseFirst };
}

function Search({ search, field }: { search: ReturnType<typeof useSearch>; field: Props["field"] }) {
  const { query, setQuery, count, chooseFirst } = search;
  return (
    <>
      <input
        className="input from-search"
        type="search"
        placeholder={t("Search aliases")}
        aria-label={t("Search aliases")}
        {...verbatim}
        value={query}
        onChange={({ target }) => setQuery(target.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" && event.key !== "ArrowDown") return;
          event.preventDefault();
          if (event.key === "ArrowDown" || chooseFirst()) field.current?.focus();
        }}
      />
      <span className="sr" role="status">
        {count === null ? "" : plural(count, "{count} alias found", "{count} aliases found", { count })}
      </span>
    </>
  );
}

export function FromRow(props: Props) {
  const { senders, chosen, error, field, onChoose } = props;
  const search = useSearch(props);
  return (
    <FieldRow label={t("From")} error={error} hint={<SenderHint senders={senders} chosen={chosen} />}>
      {(control) => (
        <div className="from">
          <Select
            mono
            {...control}
            ref={field}
            disabled={senders === undefined}
            value={chosen}
            onChange={({ target }) => onChoose(target.value)}
          >
            <option value="">{senders === undefined ? t("Loading...") : t("Select an alias")}</option>
            {search.shown === undefined ? null : <Options senders={search.shown} />}
          </Select>
          {(senders?.length ?? 0) < SEARCH_FROM ? null : <Search search={search} field={field} />}
        </div>
      )}
    </FieldRow>
  );
}
