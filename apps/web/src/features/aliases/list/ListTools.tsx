/** Fields for search and order; uncontrolled, so that typing never waits for the list. */
import type { RefObject } from "react";
import { Button, SearchField, Select } from "../../../ui/Controls.tsx";
import { Empty } from "../../../ui/LoadFailed.tsx";
import { type ListSort, listSorts, pageSizes } from "./list-view.ts";
import type { ListView } from "./use-list-view.ts";

export function NoAliases({ onCreate }: { onCreate: () => void }) {
  return (
    <Empty
      eyes="open"
      title="No aliases yet"
      text="Create one above and use it in place of your address. Its mail is forwarded to the mailbox you choose."
    >
      <Button onClick={onCreate}>Create your first alias</Button>
    </Empty>
  );
}

export function NoMatch({ query, onClear }: { query: string; onClear: () => void }) {
  return (
    <Empty
      title={`No aliases match “${query}”`}
      text="Search covers the alias, where it forwards, the notes and the labels."
    >
      <Button isSmall onClick={onClear}>
        Clear search
      </Button>
    </Empty>
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
  return (
    <Empty {...nothing[filter]}>
      <Button isSmall onClick={onAll}>
        Show all aliases
      </Button>
    </Empty>
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
      <SearchField
        ref={field}
        label="Search aliases"
        defaultValue={first.query}
        onQuery={(query) => choose({ query })}
      />
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
