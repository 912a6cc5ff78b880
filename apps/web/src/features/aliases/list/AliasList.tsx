import type { AliasWire, LabelWire } from "@kauke/contract";
import { useQueryClient } from "@tanstack/react-query";
import { memo, type RefObject, useCallback, useDeferredValue, useId, useMemo, useRef, useState } from "react";
import { useAliases } from "../../../api/aliases.ts";
import { useLabels } from "../../../api/labels.ts";
import { t } from "../../../texts/texts.ts";
import { failureOf, LoadFailed } from "../../../ui/LoadFailed.tsx";
import { countText } from "../../../ui/text/count-text.ts";
import { useFocusKept } from "../../../ui/use-focus-kept.ts";
import { useLate } from "../../../ui/use-late.ts";
import { useMedia } from "../../../ui/use-media.ts";
import { ForwardingWatch } from "../../forwarding/ForwardingWatch.tsx";
import { useOpenAliasId } from "../alias-location.ts";
import type { OpenDialog } from "../bulk/Bulk.tsx";
import { useBulk } from "../bulk/use-bulk.ts";
import { type Picking, usePicking } from "../bulk/use-picking.ts";
import { deleteAliases } from "../delete-aliases.ts";
import { BESIDE } from "../panel/panel-state.ts";
import { AliasListTable, AliasTableSkeleton, type RowActs } from "./AliasListTable.tsx";
import { ListFoot, ListTools, NoAliases, NoMatch, NothingHere } from "./ListTools.tsx";
import type { LabelsById, ListFilter } from "./list-view.ts";
import { useListKeys } from "./use-list-keys.ts";
import { type ListView, useChoice, useListView } from "./use-list-view.ts";
import { ViewTabs } from "./ViewTabs.tsx";

interface ListedProps extends Pick<ListView, "view" | "choice" | "choose" | "clear" | "filter"> {
  titleId: string;
  title: RefObject<HTMLElement | null>;
  labels: LabelsById | undefined;
  picking: Picking;
  acts: RefObject<RowActs | null>;
  isSplit: boolean;
  onDelete: (alias: AliasWire) => void;
  onKeys: () => void;
}

/** Lower rows from this page size on. */
const DENSE_FROM = 25;

const Listed = memo(function Listed({ view, choice, choose, clear, filter, isSplit, onKeys, ...table }: ListedProps) {
  const isPhone = !useMedia("(min-width: 48rem)");
  const { page, pages } = view;
  const onTurn = (step: number) => {
    const isThere = page + step >= 1 && page + step <= pages;
    if (isThere) choose({ page: page + step });
    return isThere;
  };
  if (view.items.length === 0 && choice.query.trim() === "" && filter !== "all") {
    const name = typeof filter === "object" ? "label" : filter;
    return <NothingHere filter={name} onAll={() => choose({ filter: "all" })} />;
  }
  if (view.items.length === 0) return <NoMatch query={choice.query} onClear={clear} />;
  return (
    <>
      <AliasListTable
        {...table}
        aliases={view.items}
        query={choice.query}
        isDense={choice.size >= DENSE_FROM}
        onTurn={onTurn}
      />
      <ListFoot view={view} choice={choice} choose={choose} hasSort={isPhone || isSplit} onKeys={onKeys} />
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

const none: AliasWire[] = [];
const noLabels: LabelWire[] = [];

/** Says what only the eye would notice. There from the start, since a new live region's first text is not read. */
function Announcer({ pickedCount, hasMatch }: { pickedCount: number; hasMatch: boolean }) {
  const text = !hasMatch
    ? t("No results")
    : pickedCount === 0
      ? ""
      : t("{pickedCount} selected", { pickedCount: countText(pickedCount) });
  return (
    <p className="sr" aria-live="polite">
      {text}
    </p>
  );
}

const loadBulk = async () => (await import("../bulk/Bulk.tsx")).Bulk;
const loadManageLabels = async () => (await import("../labels/ManageLabelsDialog.tsx")).ManageLabelsDialog;
const loadKeys = async () => (await import("./KeysDialog.tsx")).KeysDialog;

/** What opens only by an act is loaded once the aliases are shown, so that it opens at once. */
function useParts(isListed: boolean) {
  const bulk = useLate(isListed, loadBulk);
  const manage = useLate(isListed, loadManageLabels);
  const keys = useLate(isListed, loadKeys);
  return { Bulk: bulk?.component, ManageLabels: manage?.component, Keys: keys?.component };
}

export function AliasList({ userId, onCreate }: { userId: string; onCreate: () => void }) {
  const titleId = useId();
  const title = useRef<HTMLHeadingElement>(null);
  const acts = useRef<RowActs>(null);
  const query = useAliases(userId);
  const { data } = query;
  const failure = failureOf(query);
  const aliases = data ?? none;
  const { choice, choose, clear, field } = useChoice();
  const [dialog, setDialog] = useState<OpenDialog>(null);
  const hasLabels = useMemo(() => aliases.some(({ labels }) => labels.length > 0), [aliases]);
  const labels = useLabelsById(hasLabels || dialog !== null || typeof choice.filter === "object");
  const { filter, counts, found, view } = useListView(aliases, labels.byId, choice);
  const picking = usePicking({ found, items: view.items });
  const hasPicked = picking.picked.length > 0;
  // The box shows the first selection at once, and the bar in a render of its own.
  const hasBar = useDeferredValue(hasPicked) && hasPicked;
  const bulk = useBulk(userId);
  const client = useQueryClient();
  const onDelete = useCallback((alias: AliasWire) => void deleteAliases(client, [alias]), [client]);
  const isBeside = useMedia(BESIDE);
  const isSplit = useOpenAliasId() !== null && isBeside;
  const onFilter = useCallback((wanted: ListFilter) => choose({ filter: wanted }), [choose]);
  const onManage = useCallback(() => setDialog("manage"), []);
  const onKeys = useCallback(() => setDialog("keys"), []);
  const isEmpty = data !== undefined && aliases.length === 0;
  useFocusKept(titleId);
  const { Bulk, ManageLabels, Keys } = useParts(data !== undefined);
  useListKeys({
    "/": () => field.current?.select(),
    n: onCreate,
    j: () => acts.current?.move(1),
    k: () => acts.current?.move(-1),
    x: () => acts.current?.pick(),
    e: () => acts.current?.edit(),
    "#": () => acts.current?.remove(),
    "?": onKeys,
  });
  return (
    <section className="card list" aria-labelledby={titleId}>
      <div className="views">
        <h2 id={titleId} ref={title} tabIndex={-1}>
          {t("Aliases")}
        </h2>
        {aliases.length === 0 ? null : (
          <>
            <ViewTabs
              labels={labels.list ?? noLabels}
              counts={counts}
              filter={filter}
              isSplit={isSplit}
              onFilter={onFilter}
            />
            <ListTools {...{ choice, field, choose }} isSplit={isSplit} onManage={onManage} />
          </>
        )}
      </div>
      <Announcer pickedCount={picking.picked.length} hasMatch={aliases.length === 0 || found.length > 0} />
      <ForwardingWatch userId={userId} />
      {data === undefined && failure === null ? <AliasTableSkeleton /> : null}
      {failure === null ? null : (
        <LoadFailed title={t("Your aliases could not be loaded")} error={failure} onRetry={query.refetch} />
      )}
      {isEmpty ? <NoAliases onCreate={onCreate} /> : null}
      {aliases.length === 0 ? null : (
        <Listed
          {...{ titleId, title, view, choice, choose, clear, filter, picking, acts, isSplit, onKeys }}
          labels={labels.byId}
          onDelete={onDelete}
        />
      )}
      {!hasBar || Bulk === undefined ? null : (
        <Bulk {...{ bulk, picking, found, dialog, title }} labels={labels.list} onDialog={setDialog} />
      )}
      {dialog === "manage" && ManageLabels !== undefined ? (
        <ManageLabels counts={counts} onClose={() => setDialog(null)} />
      ) : null}
      {dialog === "keys" && Keys !== undefined ? <Keys onClose={() => setDialog(null)} /> : null}
    </section>
  );
}
