/** Uncontrolled fields, so that typing never waits for the list. */

import { Search } from "lucide-react";
import type { RefObject } from "react";
import { Select } from "../../../ui/Controls.tsx";
import { verbatim } from "../../../ui/Field.tsx";
import { Mask } from "../../../ui/Mask.tsx";
import { type ListSort, listSorts, pageSizes } from "./list-view.ts";
import type { ListView } from "./use-list-view.ts";

export function NoAliases({ onCreate }: { onCreate: () => void }) {
  return (
    <div className="empty">
      <Mask className="m" />
      <h3>No aliases yet</h3>
      <p>Create one above and use it in place of your address. Its mail is forwarded to the mailbox you choose.</p>
      <button type="button" className="btn" onClick={onCreate}>
        Create your first alias
      </button>
    </div>
  );
}

export function NoMatch({ query, onClear }: { query: string; onClear: () => void }) {
  return (
    <div className="empty">
      <h3 className="wrap-anywhere">No aliases match “{query}”</h3>
      <p>Search covers the alias, where it forwards, the notes and the labels.</p>
      <button type="button" className="btn btn-sm" onClick={onClear}>
        Clear search
      </button>
    </div>
  );
}

const nothing = {
  all: { title: "No aliases", text: "Create one above." },
  active: { title: "No alias is active", text: "The switch of an alias activates it." },
  paused: { title: "No alias is paused", text: "Mail to a paused alias is silently dropped." },
  pinned: { title: "No alias is pinned", text: "Select aliases, then press Pin: they are listed first." },
  unconfirmed: { title: "No alias waits for a confirmation", text: "Every mailbox has answered." },
  label: { title: "No alias has this label", text: "Select aliases, then press Label." },
};

export function NothingHere({ filter, onAll }: { filter: keyof typeof nothing; onAll: () => void }) {
  const { title, text } = nothing[filter];
  return (
    <div className="empty">
      <h3>{title}</h3>
      <p>{text}</p>
      <button type="button" className="btn btn-sm" onClick={onAll}>
        Show all aliases
      </button>
    </div>
  );
}

const sortNames: Record<ListSort, string> = { newest: "Newest first", name: "By name", domain: "By domain" };

interface Props extends Pick<ListView, "choose"> {
  first: ListView["choice"];
  field: RefObject<HTMLInputElement | null>;
}

export function ListTools({ first, field, choose }: Props) {
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
          // Not words to spell-check, nor to suggest from earlier searches.
          {...verbatim}
          defaultValue={first.query}
          onChange={(event) => choose({ query: event.target.value })}
        />
      </label>
      <Select
        aria-label="Order of aliases"
        defaultValue={first.sort}
        options={listSorts.map((sort) => [sort, sortNames[sort]])}
        onChange={(event) => choose({ sort: listSorts.find((sort) => sort === event.target.value) ?? "newest" })}
      />
      <Select
        aria-label="Aliases per page"
        defaultValue={first.size}
        options={pageSizes.map((size) => [size, `${size} per page`])}
        onChange={(event) => choose({ size: Number(event.target.value) })}
      />
    </div>
  );
}
