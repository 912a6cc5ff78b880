/** Loads the inactivity watch once a user is signed in, and retries if that fails: without it nobody is signed out. */
import { useLate } from "../../ui/use-late.ts";

const load = async () => (await import("./SessionTimeout.tsx")).SessionTimeout;

export function LazySessionTimeout({ userId }: { userId: string }) {
  const late = useLate(true, load);
  return late === null ? null : <late.component userId={userId} />;
}
