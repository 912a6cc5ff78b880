/** The alias list: search, page size, table, pager, and its empty, loading and error states. */
import type { AliasWire } from "@kauke/contract";
import { Search } from "lucide-react";
import { memo, type RefObject, startTransition, useCallback, useId, useMemo, useRef, useState } from "react";
import { useAliases, useDeleteAlias } from "../../api/aliases.ts";
import { messageOf } from "../../api/api-error.ts";
import { LoadFailed } from "../../ui/LoadFailed.tsx";
import { Pager } from "../../ui/Pager.tsx";
import { Select } from "../../ui/Select.tsx";
import { countText } from "../../ui/text/count-text.ts";
import { showFailure, showToast } from "../../ui/toast-store.ts";
import { AliasTable, AliasTableSkeleton } from "./AliasTable.tsx";
import { addressOf } from "./alias-text.ts";
import { DeleteAliasDialog } from "./DeleteAliasDialog.tsx";
import { NoAliases, NoMatch } from "./ListStates.tsx";
import { indexAliases, pageOf, pageSizes, searchAliases } from "./list-view.ts";

interface Choice {
  query: string;
  size: number;
  page: number;
}

/**
 * State of search, page size and page; a new search or size starts at page 1. The fields are uncontrolled and the list
 * follows in an interruptible render, so a key press never waits for rows to render.
 */
function useListView(aliases: readonly AliasWire[]) {
  const [choice, setChoice] = useState<Choice>({ query: "", size: pageSizes[0], page: 1 });
  const field = useRef<HTMLInputElement>(null);
  const { query, page, size } = choice;
  const indexed = useMemo(() => indexAliases(aliases), [aliases]);
  const found = useMemo(() => searchAliases(indexed, query), [indexed, query]);
  const view = useMemo(() => pageOf(found, page, size), [found, page, size]);
  const choose = useCallback(
    (change: Partial<Choice>) => startTransition(() => setChoice((before) => ({ ...before, page: 1, ...change }))),
    [],
  );
  const clear = useCallback(() => {
    if (field.current === null) return;
    field.current.value = "";
    field.current.focus();
    choose({ query: "" });
  }, [choose]);
  return { choice, choose, clear, view, field };
}

type ListView = ReturnType<typeof useListView>;

interface ToolsProps extends Pick<ListView, "choose"> {
  /** Initial values of the uncontrolled fields for search and page size. */
  first: Choice;
  field: RefObject<HTMLInputElement | null>;
}

function Tools({ first, field, choose }: ToolsProps) {
  return (
    <div className="tools">
      <label className="affix">
        <Search className="i" aria-hidden />
        <input
          ref={field}
          className="input"
          type="search"
          placeholder="Search"
          aria-label="Search aliases"
          // Addresses are not words to spell-check, and browsers must not suggest earlier searches.
          spellCheck={false}
          autoComplete="off"
          autoCapitalize="none"
          defaultValue={first.query}
          onChange={(event) => choose({ query: event.target.value })}
        />
      </label>
      <Select
        aria-label="Aliases per page"
        defaultValue={first.size}
        onChange={(event) => choose({ size: Number(event.target.value) })}
      >
        {pageSizes.map((size) => (
          <option key={size} value={size}>
            {size} per page
          </option>
        ))}
      </Select>
    </div>
  );
}

interface ListedProps extends Pick<ListView, "view" | "choose" | "clear"> {
  userId: string;
  query: string;
  onDelete: (alias: AliasWire) => void;
}

const Listed = memo(function Listed({ userId, view, query, choose, clear, onDelete }: ListedProps) {
  if (view.items.length === 0) return <NoMatch query={query} onClear={clear} />;
  return (
    <>
      <AliasTable userId={userId} aliases={view.items} query={query} onDelete={onDelete} />
      <div className="list-foot">
        <span className="count" aria-live="polite">
          {view.range}
        </span>
        <Pager page={view.page} pages={view.pages} buttons={view.buttons} onPage={(page) => choose({ page })} />
      </div>
    </>
  );
});

/** The alias whose deletion awaits confirmation. */
function useDeletion(userId: string) {
  const [asked, setAsked] = useState<AliasWire>();
  const remove = useDeleteAlias(userId);
  const onConfirm = () => {
    if (asked === undefined) return;
    setAsked(undefined);
    remove.mutate(asked, {
      onSuccess: () => showToast({ title: "Alias Deleted", description: addressOf(asked) }),
      onError: (error) => showFailure("Deletion Failed", messageOf(error, "Failed to delete alias")),
    });
  };
  return { asked, setAsked, onConfirm };
}

const none: AliasWire[] = [];

export function AliasList({ userId, onCreate }: { userId: string; onCreate: () => void }) {
  const titleId = useId();
  const { data, error, isFetching, refetch } = useAliases(userId);
  const aliases = data ?? none;
  const { choice, choose, clear, view, field } = useListView(aliases);
  const { asked, setAsked, onConfirm } = useDeletion(userId);
  const isEmpty = data !== undefined && aliases.length === 0;
  return (
    <section className="card" aria-labelledby={titleId}>
      <div className="card-head list-head">
        <h2 id={titleId}>Aliases</h2>
        {data === undefined ? null : <span className="tag">{countText(aliases.length)}</span>}
        {aliases.length === 0 ? null : <Tools first={choice} field={field} choose={choose} />}
      </div>
      {data === undefined && (isFetching || error === null) ? <AliasTableSkeleton /> : null}
      {data === undefined && !isFetching && error !== null ? (
        <LoadFailed
          title="Your aliases could not be loaded"
          message={messageOf(error, "Something went wrong.")}
          onRetry={() => refetch()}
        />
      ) : null}
      {isEmpty ? <NoAliases onCreate={onCreate} /> : null}
      {aliases.length === 0 ? null : (
        <Listed {...{ userId, view, choose, clear }} query={choice.query} onDelete={setAsked} />
      )}
      {asked === undefined ? null : (
        <DeleteAliasDialog alias={asked} onConfirm={onConfirm} onClose={() => setAsked(undefined)} />
      )}
    </section>
  );
}
