/**
 * A part of the app that comes as a chunk of its own. One that is already here is drawn at once, so that a page drawn beforehand
 * is taken over whole.
 */
import { type ComponentType, lazy, useState } from "react";

export interface Later {
  Page: ComponentType;
  /** Fetches the chunk. */
  load: () => Promise<unknown>;
}

export function later(fetchPart: () => Promise<ComponentType>): Later {
  let here: ComponentType | null = null;
  const load = async () => {
    here ??= await fetchPart();
    return { default: here };
  };
  const Coming = lazy(load);
  function Page() {
    const [Chosen] = useState<ComponentType>(() => here ?? Coming);
    return <Chosen />;
  }
  return { Page, load };
}
