/** Fields for search and order; uncontrolled, so that typing never waits for the list. */
import { Keyboard, Tag } from "lucide-react";
import { memo } from "react";
import { t } from "../../../texts/texts.ts";
import { Button, IconButton, SearchField, Select } from "../../../ui/Controls.tsx";
import { Empty } from "../../../ui/LoadFailed.tsx";
import { Pager } from "../../../ui/Pager.tsx";
import { useMedia } from "../../../ui/use-media.ts";
import { type ListSort, listSorts, pageSizes } from "./list-view.ts";
import type { ListView } from "./use-list-view.ts";

export function NoAliases({ onCreate }: { onCreate: () => void }) {
  return (
    <Empty
      eyes="open"
      title={t("No aliases yet")}
      text={t("Create one above and use it in place of your address. Its mail is forwarded to the mailbox you choose.")}
    >
      <Button onClick={onCreate}>{t("Create your first alias")}</Button>
    </Empty>
  );
}

export function NoMatch({ query, onClear }: { query: string; onClear: () => void }) {
  return (
    <Empty
      title={t("No aliases match “{query}”", { query })}
      text={t("Search covers the alias, where it forwards, the notes and the labels.")}
    >
      <Button isSmall onClick={onClear}>
        {t("Clear search")}
      </Button>
    </Empty>
  );
}

const nothing = {
  all: { title: t("No aliases"), text: t("Create one above.") },
  active: { title: t("No alias is active"), text: t("The switch of an alias activates it.") },
  paused: { title: t("No alias is paused"), text: t("Mail to a paused alias is silently dropped.") },
  pinned: { title: t("No alias is pinned"), text: t("Select aliases, then press Pin: they are listed first.") },
  unconfirmed: { title: t("No alias waits for a confirmation"), text: t("Every mailbox has answered.") },
  label: { title: t("No alias has this label"), text: t("Select aliases, then press Label.") },
};

export function NothingHere({ filter, onAll }: { filter: keyof typeof nothing; onAll: () => void }) {
  return (
    <Empty {...nothing[filter]}>
      <Button isSmall onClick={onAll}>
        {t("Show all aliases")}
      </Button>
    </Empty>
  );
}

const sortNames: Record<ListSort, string> = { newest: t("Newest first"), name: t("By name"), domain: t("By domain") };

interface SortProps extends Pick<ListView, "choose"> {
  sort: ListSort;
}

export function SortSelect({ sort, choose }: SortProps) {
  return (
    <Select
      aria-label={t("Order of aliases")}
      defaultValue={sort}
      options={listSorts.map((name) => [name, sortNames[name]])}
      onChange={(event) => choose({ sort: listSorts.find((name) => name === event.target.value) ?? "newest" })}
    />
  );
}

interface ToolsProps extends Pick<ListView, "choose" | "choice" | "field"> {
  /** Whether an open panel takes half of the page. */
  isSplit: boolean;
  onManage: () => void;
}

/** Memoized, because a selected row changes nothing in it. */
export const ListTools = memo(function ListTools({ choice, field, choose, isSplit, onManage }: ToolsProps) {
  const hasRoom = useMedia("(min-width: 48rem)") && !isSplit;
  return (
    <div className="tools">
      {hasRoom ? <SortSelect sort={choice.sort} choose={choose} /> : null}
      <SearchField
        ref={field}
        label={t("Search aliases")}
        defaultValue={choice.query}
        onQuery={(query) => choose({ query })}
      />
      <IconButton icon={Tag} label={t("Manage labels")} onClick={onManage} />
    </div>
  );
});

interface FootProps extends Pick<ListView, "choose" | "choice" | "view"> {
  hasSort: boolean;
  onKeys: () => void;
}

export const ListFoot = memo(function ListFoot({ view, choice, choose, hasSort, onKeys }: FootProps) {
  return (
    <div className="list-foot">
      <span className="count" aria-live="polite">
        {view.range}
      </span>
      <Select
        aria-label={t("Aliases per page")}
        defaultValue={choice.size}
        options={pageSizes.map((size) => [size, t("{size} per page", { size })])}
        onChange={(event) => choose({ size: Number(event.target.value) })}
      />
      {hasSort ? <SortSelect sort={choice.sort} choose={choose} /> : null}
      <span className="keys-button">
        <IconButton icon={Keyboard} label={t("Keys")} onClick={onKeys} />
      </span>
      {view.pages === 1 ? null : (
        <Pager page={view.page} pages={view.pages} buttons={view.buttons} onPage={(page) => choose({ page })} />
      )}
    </div>
  );
});
