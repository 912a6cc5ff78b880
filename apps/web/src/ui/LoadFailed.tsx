/** Replaces content that could not be loaded: names it, shows the reason and a retry button. */
import type { ReactNode } from "react";
import { Mask } from "./Mask.tsx";

interface Props {
  title: string;
  message: string;
  /** Level of the heading on its page. */
  heading?: "h2" | "h3" | "h4";
  onRetry: () => void;
}

export function LoadFailed({ title, message, heading: Heading = "h3", onRetry }: Props) {
  return (
    <div className="empty" role="alert">
      <Mask className="m" eyes="shut" />
      <Heading>{title}</Heading>
      <p>{message}</p>
      <button type="button" className="btn" onClick={onRetry}>
        Try again
      </button>
    </div>
  );
}

/** What a card shows of a list from the server: placeholders while it loads, a retry button, or the list. */

/** The part of a query's result that decides what is shown. */
interface LoadingList<Item> {
  data: readonly Item[] | undefined;
  error: Error | null;
  isFetching: boolean;
  refetch: () => Promise<unknown>;
}

/** Whether the list could not be loaded and is not being loaded again. */
export function listFailed({ data, error, isFetching }: Omit<LoadingList<unknown>, "refetch">): boolean {
  return data === undefined && error !== null && !isFetching;
}

interface LoadedListProps<Item> {
  query: LoadingList<Item>;
  failedTitle: string;
  /** Reason for the failed loading, shown below the title of the failure. */
  failedMessage: string;
  loading: ReactNode;
  /** Shown in place of a list without items. */
  empty: ReactNode;
  children: (items: readonly Item[]) => ReactNode;
}

export function LoadedList<Item>({
  query,
  failedTitle,
  failedMessage,
  loading,
  empty,
  children,
}: LoadedListProps<Item>) {
  if (listFailed(query))
    return <LoadFailed heading="h4" title={failedTitle} message={failedMessage} onRetry={() => void query.refetch()} />;
  if (query.data === undefined) return loading;
  return query.data.length === 0 ? empty : children(query.data);
}
