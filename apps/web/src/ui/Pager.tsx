/** Previous, five pages at most, next. */
import { ChevronLeft, ChevronRight } from "lucide-react";

interface Props {
  page: number;
  pages: number;
  /** The page buttons to show, e.g. `[3, 4, 5, 6, 7]`. */
  buttons: readonly number[];
  onPage: (page: number) => void;
}

export function Pager({ page, pages, buttons, onPage }: Props) {
  return (
    <nav className="pager" aria-label="Pages">
      <button type="button" aria-label="Previous page" disabled={page <= 1} onClick={() => onPage(page - 1)}>
        <ChevronLeft className="i" aria-hidden />
      </button>
      {buttons.map((it) => (
        <button
          type="button"
          key={it}
          aria-label={`Page ${it}`}
          aria-current={it === page ? "page" : undefined}
          onClick={() => onPage(it)}
        >
          {it}
        </button>
      ))}
      <button type="button" aria-label="Next page" disabled={page >= pages} onClick={() => onPage(page + 1)}>
        <ChevronRight className="i" aria-hidden />
      </button>
    </nav>
  );
}
