import type { AliasWire, ChecklistRowWire } from "@kauke/contract";
import { limits } from "@kauke/contract/limits";
import { type CSSProperties, useMemo, useState } from "react";
import { useAliases, useGenerateAlias } from "../../../api/aliases.ts";
import { useChangeChecklist } from "../../../api/checklist.ts";
import { messageOf } from "../../../api/error-text.ts";
import { t } from "../../../texts/texts.ts";
import { Button, SearchField } from "../../../ui/Controls.tsx";
import { Empty } from "../../../ui/LoadFailed.tsx";
import { Pager } from "../../../ui/Pager.tsx";
import { copyText } from "../../../ui/text/copy-text.ts";
import { countText } from "../../../ui/text/count-text.ts";
import { showFailure, showToast } from "../../../ui/toast-store.ts";
import { useListFocus } from "../../../ui/use-list-focus.ts";
import { listPage } from "../../aliases/list/list-view.ts";
import { siteLink } from "../export-file/site-name.ts";
import { ChecklistItem } from "./ChecklistItem.tsx";
import { type ChecklistChoice, type ShownPart, shownParts, shownRows } from "./checklist-view.ts";

/** Stores the new alias in the site's row and copies its address. */
function useSiteAlias(userId: string) {
  const generate = useGenerateAlias(userId);
  const change = useChangeChecklist();
  const [pendingId, setPendingId] = useState<string | null>(null);
  const make = async ({ id, site }: ChecklistRowWire) => {
    if (pendingId !== null) return;
    setPendingId(id);
    try {
      const hostname = siteLink(site) === null ? {} : { hostname: site };
      const alias = await generate.mutateAsync({ ...hostname, notes: site.slice(0, limits.notesMax) });
      change.mutate([{ id, aliasId: alias.id }], { onError: showChangeFailure });
      await copyText(addressOf(alias));
    } catch (error) {
      showFailure(t("Creation Failed"), messageOf(error, t("Failed to create alias")));
    } finally {
      setPendingId(null);
    }
  };
  return { pendingId, make };
}

const addressOf = ({ alias, domain }: AliasWire): string => `${alias}@${domain}`;

const showChangeFailure = (error: Error): void =>
  showFailure(t("Checklist not saved"), messageOf(error, t("Failed to save the checklist")));

const ROWS_PER_PAGE = 25;

const words: Readonly<Record<ShownPart, (count: string) => string>> = {
  open: (count) => t("Open {count}", { count }),
  done: (count) => t("Done {count}", { count }),
  all: (count) => t("All {count}", { count }),
};

interface Props {
  userId: string;
  rows: readonly ChecklistRowWire[];
  /** Id of the heading, which gets the focus after the last row. */
  titleId: string;
}

/** Ticked rows of the checklist stay until the filter changes. */
function useChecklistView(rows: readonly ChecklistRowWire[]) {
  const [choice, setChoice] = useState<ChecklistChoice>({ part: "open", query: "" });
  const [page, setPage] = useState(1);
  const [kept, setKept] = useState<ReadonlySet<string>>(new Set());
  const found = useMemo(() => shownRows(rows, choice, kept), [rows, choice, kept]);
  const choose = (change: Partial<ChecklistChoice>) => {
    setChoice((before) => ({ ...before, ...change }));
    setKept(new Set());
    setPage(1);
  };
  const turnTo = (wanted: number) => {
    setKept(new Set());
    setPage(wanted);
  };
  const keep = (id: string) => setKept((before) => new Set([...before, id]));
  return { choice, choose, turnTo, keep, view: listPage(found, page, ROWS_PER_PAGE) };
}

function Progress({ rows }: { rows: readonly ChecklistRowWire[] }) {
  const done = rows.filter((row) => row.done).length;
  return (
    <div className="progress">
      <p className="count" aria-live="polite">
        {t("{done} of {count} done", { done: countText(done), count: countText(rows.length) })}
      </p>
      <span className="bar" aria-hidden="true">
        <i style={{ "--part": String(done / rows.length) } as CSSProperties} />
      </span>
    </div>
  );
}

function Filter({ choice, rows, choose }: Pick<Props, "rows"> & ReturnType<typeof useChecklistView>) {
  const done = rows.filter((row) => row.done).length;
  const counts = { open: rows.length - done, done, all: rows.length };
  return (
    <div className="checklist-tools">
      <div className="segments" role="radiogroup" aria-label={t("Sites shown")}>
        {shownParts.map((part) => (
          <label key={part}>
            <input type="radio" name="part" checked={choice.part === part} onChange={() => choose({ part })} />
            <span>{words[part](countText(counts[part]))}</span>
          </label>
        ))}
      </div>
      <SearchField label={t("Search sites")} value={choice.query} onQuery={(query) => choose({ query })} />
    </div>
  );
}

const nothing = {
  open: { title: t("All done"), text: t("Every site on this list has your new address.") },
  done: { title: t("Nothing done yet"), text: t("Tick a site once you have changed your address there.") },
  all: { title: t("Nothing done yet"), text: t("Tick a site once you have changed your address there.") },
};

function NothingShown({ choice, choose }: Pick<ReturnType<typeof useChecklistView>, "choice" | "choose">) {
  const query = choice.query.trim();
  const found = {
    title: t("No sites match “{query}”", { query }),
    text: t("Search covers the site and its old address."),
  };
  return (
    <Empty {...(query === "" ? nothing[choice.part] : found)}>
      <Button isSmall onClick={() => choose(query === "" ? { part: "all" } : { query: "" })}>
        {query === "" ? t("Show all sites") : t("Clear search")}
      </Button>
    </Empty>
  );
}

export function ChecklistItems({ userId, rows, titleId }: Props) {
  const focus = useListFocus(() => document.getElementById(titleId));
  const list = useChecklistView(rows);
  const { view, turnTo } = list;
  const { data: aliases } = useAliases(userId);
  const addresses = useMemo(
    () => new Map(aliases?.map(({ id, alias, domain }) => [id, `${alias}@${domain}`])),
    [aliases],
  );
  const change = useChangeChecklist();
  const { pendingId, make } = useSiteAlias(userId);
  const tick = ({ id }: ChecklistRowWire, done: boolean) => {
    list.keep(id);
    return change.mutateAsync([{ id, done }]).catch(showChangeFailure);
  };
  const remove = ({ id, site }: ChecklistRowWire) =>
    change.mutate([{ id, remove: true }], {
      onSuccess: () => showToast({ title: t("Taken off the list"), description: site }),
      onError: showChangeFailure,
    });
  return (
    <>
      <Progress rows={rows} />
      <Filter {...list} rows={rows} />
      {view.items.length === 0 ? (
        <NothingShown {...list} />
      ) : (
        <ul className="checklist" aria-label={t("Sites")} {...focus}>
          {view.items.map((row) => (
            <ChecklistItem
              key={row.id}
              row={row}
              alias={(row.aliasId === null ? undefined : addresses.get(row.aliasId)) ?? null}
              isMaking={pendingId === row.id}
              onTick={(done) => tick(row, done)}
              onMake={() => void make(row)}
              onRemove={() => remove(row)}
            />
          ))}
        </ul>
      )}
      {view.pages === 1 ? null : (
        <div className="list-foot">
          <span className="count" aria-live="polite">
            {view.range}
          </span>
          <Pager page={view.page} pages={view.pages} buttons={view.buttons} onPage={turnTo} />
        </div>
      )}
    </>
  );
}
