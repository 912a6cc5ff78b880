/** What a card shows of a list from the server: placeholders while it loads, a retry button, or the list. */
import type { ReactNode } from "react";
import { LoadFailed } from "./LoadFailed.tsx";

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

interface Props<Item> {
  query: LoadingList<Item>;
  failedTitle: string;
  /** Reason for the failed loading, shown below the title of the failure. */
  failedMessage: string;
  loading: ReactNode;
  /** Shown in place of a list without items. */
  empty: ReactNode;
  children: (items: readonly Item[]) => ReactNode;
}

export function LoadedList<Item>({ query, failedTitle, failedMessage, loading, empty, children }: Props<Item>) {
  if (listFailed(query))
    return <LoadFailed heading="h4" title={failedTitle} message={failedMessage} onRetry={() => void query.refetch()} />;
  if (query.data === undefined) return loading;
  return query.data.length === 0 ? empty : children(query.data);
}
