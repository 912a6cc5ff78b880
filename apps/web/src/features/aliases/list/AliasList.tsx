import type { AliasWire, LabelWire } from "@kauke/contract";
import { memo, type RefObject, useCallback, useEffect, useId, useMemo, useRef, useState } from "react";
import { useAliases } from "../../../api/aliases.ts";
import { useLabels } from "../../../api/labels.ts";
import { failureOf, LoadFailed } from "../../../ui/LoadFailed.tsx";
import { Pager } from "../../../ui/Pager.tsx";
import { countText } from "../../../ui/text/count-text.ts";
import { ForwardingWatch } from "../../forwarding/ForwardingWatch.tsx";
import { BulkBar, type BulkDialog } from "../bulk/BulkBar.tsx";
import { BulkDestinationsDialog, DeleteManyDialog } from "../bulk/BulkDialogs.tsx";
import { BulkLabelDialog } from "../bulk/BulkLabelDialog.tsx";
import { useBulk } from "../bulk/use-bulk.ts";
import { type Picking, usePicking } from "../bulk/use-picking.ts";
import { ManageLabelsDialog } from "../labels/ManageLabelsDialog.tsx";
import { useAliasDeletion } from "../row/alias-deletion.tsx";
import { AliasListTable, AliasTableSkeleton } from "./AliasListTable.tsx";
import { FilterBar } from "./FilterBar.tsx";
import { ListTools, NoAliases, NoMatch, NothingHere } from "./ListTools.tsx";
import type { LabelsById, ListFilter } from "./list-view.ts";
import { type ListView, useChoice, useListView, useShownAliases } from "./use-list-view.ts";

interface ListedProps extends Pick<ListView, "view" | "choose" | "clear" | "filter"> {
  userId: string;
  query: string;
  labels: LabelsById | undefined;
  picking: Picking;
  onDelete: (alias: AliasWire) => void;
}

const Listed = memo(function Listed({ view, query, choose, clear, filter, picking, ...table }: ListedProps) {
  if (view.items.length === 0 && query.trim() === "" && filter !== "all") {
    const name = typeof filter === "object" ? "label" : filter;
    return <NothingHere filter={name} onAll={() => choose({ filter: "all" })} />;
  }
  if (view.items.length === 0) return <NoMatch query={query} onClear={clear} />;
  return (
    <>
      <AliasListTable {...table} aliases={view.items} query={query} picking={picking} />
      <div className="list-foot">
        <span className="count" aria-live="polite">
          {view.range}
        </span>
        <Pager page={view.page} pages={view.pages} buttons={view.buttons} onPage={(page) => choose({ page })} />
      </div>
    </>
  );
});

/** Labels are fetched only when something shows them. */
function useLabelsById(isWanted: boolean) {
  const { data } = useLabels(isWanted);
  const byId = useMemo(
    () => (data === undefined ? undefined : new Map(data.map((label) => [label.id, label]))),
    [data],
  );
  return { list: data, byId };
}

/** Up to this many aliases are all in view, and are deleted without a question. */
const DELETED_UNASKED_MAX = 10;

type OpenDialog = BulkDialog | "manage" | null;

interface BulkProps {
  picking: Picking;
  found: readonly AliasWire[];
  labels: ReturnType<typeof useLabelsById>["list"];
  dialog: OpenDialog;
  onDialog: (dialog: OpenDialog) => void;
  /** The list's title gets the focus if the bulk bar loses its last alias. */
  title: RefObject<HTMLElement | null>;
  bulk: ReturnType<typeof useBulk>;
}

function Bulk({ bulk: { change, remove, isPending }, picking, found, labels, dialog, onDialog, title }: BulkProps) {
  useEffect(
    () => () => {
      if (document.activeElement === document.body) title.current?.focus({ preventScroll: true });
    },
    [title],
  );
  const picked = useMemo(() => {
    const ids = new Set(picking.picked);
    return found.filter(({ id }) => ids.has(id));
  }, [picking.picked, found]);
  const onClose = () => onDialog(null);
  const onDelete = () => {
    onClose();
    remove(picked);
    picking.clear();
  };
  const onChange: typeof change extends (aliases: readonly AliasWire[], ...rest: infer Rest) => void
    ? (...rest: Rest) => void
    : never = (...given) => change(picked, ...given);
  return (
    <>
      <BulkBar
        picked={picked}
        foundCount={found.length}
        isPending={isPending}
        onPickFound={picking.pickFound}
        onClear={picking.clear}
        onChange={onChange}
        onDialog={onDialog}
        onDelete={picked.length > DELETED_UNASKED_MAX ? () => onDialog("delete") : onDelete}
      />
      {dialog === "delete" ? <DeleteManyDialog count={picked.length} onConfirm={onDelete} onClose={onClose} /> : null}
      {dialog === "destinations" ? (
        <BulkDestinationsDialog aliasIds={picking.picked} onChange={onChange} onClose={onClose} />
      ) : null}
      {dialog === "addLabel" || dialog === "removeLabel" ? (
        <BulkLabelDialog
          isAdding={dialog === "addLabel"}
          picked={picked}
          labels={labels}
          onChange={onChange}
          onClose={onClose}
        />
      ) : null}
    </>
  );
}

const none: AliasWire[] = [];
const noLabels: LabelWire[] = [];

export function AliasList({ userId, onCreate }: { userId: string; onCreate: () => void }) {
  const titleId = useId();
  const title = useRef<HTMLHeadingElement>(null);
  const query = useAliases(userId);
  const { data } = query;
  const failure = failureOf(query);
  const aliases = useShownAliases(data ?? none);
  const { choice, choose, clear, field } = useChoice();
  const [dialog, setDialog] = useState<OpenDialog>(null);
  const hasLabels = useMemo(() => aliases.some(({ labels }) => labels.length > 0), [aliases]);
  const labels = useLabelsById(hasLabels || dialog !== null || typeof choice.filter === "object");
  const { filter, counts, found, view } = useListView(aliases, labels.byId, choice);
  const picking = usePicking({ found, items: view.items });
  const bulk = useBulk(userId);
  const deletion = useAliasDeletion(userId);
  const onFilter = useCallback((wanted: ListFilter) => choose({ filter: wanted }), [choose]);
  const onManage = useCallback(() => setDialog("manage"), []);
  const isEmpty = data !== undefined && aliases.length === 0;
  return (
    <section className="card" aria-labelledby={titleId}>
      <div className="card-head list-head">
        <h2 id={titleId} ref={title} tabIndex={-1}>
          Aliases
        </h2>
        {data === undefined ? null : <span className="tag">{countText(aliases.length)}</span>}
        {aliases.length === 0 ? null : <ListTools first={choice} field={field} choose={choose} />}
      </div>
      {aliases.length === 0 ? null : (
        <FilterBar
          labels={labels.list ?? noLabels}
          counts={counts}
          filter={filter}
          onFilter={onFilter}
          onManage={onManage}
        />
      )}
      <ForwardingWatch userId={userId} />
      {picking.picked.length === 0 ? null : (
        <Bulk {...{ bulk, picking, found, dialog, title }} labels={labels.list} onDialog={setDialog} />
      )}
      {data === undefined && failure === null ? <AliasTableSkeleton /> : null}
      {failure === null ? null : (
        <LoadFailed title="Your aliases could not be loaded" error={failure} onRetry={query.refetch} />
      )}
      {isEmpty ? <NoAliases onCreate={onCreate} /> : null}
      {aliases.length === 0 ? null : (
        <Listed
          {...{ userId, view, choose, clear, filter, picking }}
          query={choice.query}
          labels={labels.byId}
          onDelete={deletion.ask}
        />
      )}
      {deletion.dialog}
      {dialog === "manage" ? <ManageLabelsDialog counts={counts} onClose={() => setDialog(null)} /> : null}
    </section>
  );
}
