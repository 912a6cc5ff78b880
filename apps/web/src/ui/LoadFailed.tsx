/** In place of content that failed to load or is still loading. */
import type { CSSProperties, ReactNode } from "react";
import { messageOf } from "../api/api-error.ts";
import { Mask } from "./Mask.tsx";

interface Props {
  title: string;
  error: unknown;
  /** By its place on the page. */
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

/** Within a text. */
export function TryAgain({ onClick }: { onClick: () => unknown }) {
  return (
    <button type="button" className="link" onClick={() => void onClick()}>
      Try again
    </button>
  );
}

/** A bar in place of a text. @param w its width in CSS */
export function Skeleton({ w }: { w?: string }) {
  return <span className="skel" style={w === undefined ? undefined : ({ "--w": w } as CSSProperties)} />;
}

interface Loading<Data> {
  data: Data | undefined;
  error: Error | null;
  isFetching: boolean;
  refetch: () => Promise<unknown>;
}

/** `null` if there is data, or a request in flight. */
export function failureOf({ data, error, isFetching }: Omit<Loading<unknown>, "refetch">): Error | null {
  return data === undefined && !isFetching ? error : null;
}

interface LoadedListProps<Item> {
  query: Loading<readonly Item[]>;
  failedTitle: string;
  loading: ReactNode;
  empty: ReactNode;
  children: (items: readonly Item[]) => ReactNode;
}

export function LoadedList<Item>({ query, failedTitle, loading, empty, children }: LoadedListProps<Item>) {
  const failure = failureOf(query);
  if (failure !== null) return <LoadFailed heading="h4" title={failedTitle} error={failure} onRetry={query.refetch} />;
  if (query.data === undefined) return loading;
  return query.data.length === 0 ? empty : children(query.data);
}
