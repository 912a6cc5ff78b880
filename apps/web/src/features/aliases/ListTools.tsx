/**
 * Search, order and page size of the alias list. The fields are uncontrolled, so that typing never waits for the list
 * (`use-list-view.ts`).
 */
import { Search } from "lucide-react";
import type { RefObject } from "react";
import { Select } from "../../ui/Select.tsx";
import { type ListSort, listSorts, pageSizes } from "./list-view.ts";
import type { ListView } from "./use-list-view.ts";

const sortNames: Record<ListSort, string> = { newest: "Newest first", name: "By name", domain: "By domain" };

interface Props extends Pick<ListView, "choose"> {
  /** Initial values of the search, order and page size fields. */
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
          // Addresses are not words to spell-check, and browsers must not suggest earlier searches.
          spellCheck={false}
          autoComplete="off"
          autoCapitalize="none"
          defaultValue={first.query}
          onChange={(event) => choose({ query: event.target.value })}
        />
      </label>
      <Select
        aria-label="Order of aliases"
        defaultValue={first.sort}
        onChange={(event) => choose({ sort: listSorts.find((it) => it === event.target.value) ?? "newest" })}
      >
        {listSorts.map((sort) => (
          <option key={sort} value={sort}>
            {sortNames[sort]}
          </option>
        ))}
      </Select>
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
