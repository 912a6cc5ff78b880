/** What is shown in place of content that could not be loaded, or is still loading. */
import type { CSSProperties, ReactNode } from "react";
import { messageOf } from "../api/api-error.ts";
import { Mask } from "./Mask.tsx";

interface Props {
  title: string;
  error: unknown;
  /** Level of the heading on its page. */
  heading?: "h2" | "h3" | "h4";
  onRetry: () => unknown;
}

export function LoadFailed({ title, error, heading: Heading = "h3", onRetry }: Props) {
  return (
    <div className="empty" role="alert">
      <Mask className="m" eyes="shut" />
      <Heading>{title}</Heading>
      <p>{messageOf(error, "Please try again.")}</p>
      <button type="button" className="btn" onClick={() => void onRetry()}>
        Try again
      </button>
    </div>
  );
}

/** Link within a text that could not be completed. */
export function TryAgain({ onClick }: { onClick: () => unknown }) {
  return (
    <button type="button" className="link" onClick={() => void onClick()}>
      Try again
    </button>
  );
}

/** A bar in place of a text that is still loading. @param w its width in CSS, by default that of its place */
export function Skeleton({ w }: { w?: string }) {
  return <span className="skel" style={w === undefined ? undefined : ({ "--w": w } as CSSProperties)} />;
}

/** The part of a query's result that decides what is shown. */
interface Loading<Data> {
  data: Data | undefined;
  error: Error | null;
  isFetching: boolean;
  refetch: () => Promise<unknown>;
}

/** Why there is no data; `null` if there is some, or a request for it is in flight. */
export function failureOf({ data, error, isFetching }: Omit<Loading<unknown>, "refetch">): Error | null {
  return data === undefined && !isFetching ? error : null;
}

interface LoadedListProps<Item> {
  query: Loading<readonly Item[]>;
  failedTitle: string;
  loading: ReactNode;
  /** Shown in place of a list without items. */
  empty: ReactNode;
  children: (items: readonly Item[]) => ReactNode;
}

/** What a card shows of a list from the server. */
export function LoadedList<Item>({ query, failedTitle, loading, empty, children }: LoadedListProps<Item>) {
  const failure = failureOf(query);
  if (failure !== null) return <LoadFailed heading="h4" title={failedTitle} error={failure} onRetry={query.refetch} />;
  if (query.data === undefined) return loading;
  return query.data.length === 0 ? empty : children(query.data);
}
