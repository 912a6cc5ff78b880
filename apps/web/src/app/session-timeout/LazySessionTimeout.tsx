/** Loads the inactivity watch once somebody is signed in; without it inactivity would sign nobody out. */
import { useLate } from "../../ui/use-late.ts";

const load = async () => (await import("./SessionTimeout.tsx")).SessionTimeout;

export function LazySessionTimeout({ userId }: { userId: string }) {
  const late = useLate(true, load);
  return late === null ? null : <late.component userId={userId} />;
}
