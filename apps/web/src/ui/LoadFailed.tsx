/** Shown in place of content that failed to load or is still loading. */
import type { CSSProperties, ReactNode } from "react";
import { useConnection } from "../api/connection.ts";
import { messageOf } from "../api/error-text.ts";
import { t } from "../texts/texts.ts";
import { Button } from "./Controls.tsx";
import { Mask } from "./Mask.tsx";

interface EmptyProps {
  title: string;
  text: string;
  heading?: "h2" | "h3" | "h4";
  eyes?: "open" | "shut" | null;
  role?: "alert";
  children?: ReactNode;
}

/** Shown in place of a list without items. */
export function Empty({ title, text, heading: Heading = "h3", eyes = null, role, children }: EmptyProps) {
  return (
    <div className="empty" role={role}>
      {eyes === null ? null : <Mask className="m" eyes={eyes} />}
      <Heading className="wrap-anywhere">{title}</Heading>
      <p>{text}</p>
      {children}
    </div>
  );
}

interface Props extends Pick<EmptyProps, "title" | "heading"> {
  error: unknown;
  onRetry: () => unknown;
}

/** Without a connection the bar at the top has the page's one button, and afterwards all that failed is fetched again. */
export function RetryButton({ isSmall, onRetry }: { isSmall?: boolean; onRetry: () => unknown }) {
  const isConnected = useConnection() === "online";
  if (!isConnected) return null;
  return (
    <Button isSmall={isSmall} onClick={() => void onRetry()}>
      {t("Try again")}
    </Button>
  );
}

export function LoadFailed({ error, onRetry, ...empty }: Props) {
  return (
    <Empty {...empty} text={messageOf(error, t("Please try again."))} eyes="shut" role="alert">
      <RetryButton onRetry={onRetry} />
    </Empty>
  );
}

export function TryAgain({ onClick }: { onClick: () => unknown }) {
  const isConnected = useConnection() === "online";
  if (!isConnected) return null;
  return (
    <button type="button" className="link" onClick={() => void onClick()}>
      {t("Try again")}
    </button>
  );
}

/** A bar in place of a text that is loading. @param w its width in CSS */
export function Skeleton({ w }: { w?: string }) {
  return <span className="skel" style={w === undefined ? undefined : ({ "--w": w } as CSSProperties)} />;
}

interface Loading<Data> {
  data: Data | undefined;
  error: Error | null;
  isFetching: boolean;
  refetch: () => Promise<unknown>;
}

/** Why loading failed; `null` if there is data, or a request in flight. */
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
