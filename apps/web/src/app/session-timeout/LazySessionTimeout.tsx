/** Fetches the session's watch when somebody is signed in; without it nobody would be signed out. */
import { useLate } from "../../ui/use-late.ts";

const load = async () => (await import("./SessionTimeout.tsx")).SessionTimeout;

export function LazySessionTimeout({ userId }: { userId: string }) {
  const late = useLate(true, load);
  return late === null ? null : <late.component userId={userId} />;
}
