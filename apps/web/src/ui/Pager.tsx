import { ChevronLeft, ChevronRight } from "lucide-react";
import { t } from "../texts/texts.ts";

interface Props {
  page: number;
  pages: number;
  /** Page numbers with a button of their own, e.g. `[3, 4, 5, 6, 7]`. */
  buttons: readonly number[];
  onPage: (page: number) => void;
}

export function Pager({ page, pages, buttons, onPage }: Props) {
  // aria-disabled keeps the focus at the first and last page.
  const turnTo = (wanted: number) => {
    const isThere = wanted >= 1 && wanted <= pages;
    return { "aria-disabled": !isThere || undefined, onClick: () => isThere && onPage(wanted) };
  };
  return (
    <nav className="pager" aria-label={t("Pages")}>
      <button type="button" aria-label={t("Previous page")} {...turnTo(page - 1)}>
        <ChevronLeft className="i" aria-hidden />
      </button>
      {buttons.map((pageNumber) => (
        <button
          type="button"
          key={pageNumber}
          aria-label={t("Page {pageNumber}", { pageNumber })}
          aria-current={pageNumber === page ? "page" : undefined}
          onClick={() => onPage(pageNumber)}
        >
          {pageNumber}
        </button>
      ))}
      <button type="button" aria-label={t("Next page")} {...turnTo(page + 1)}>
        <ChevronRight className="i" aria-hidden />
      </button>
    </nav>
  );
}
