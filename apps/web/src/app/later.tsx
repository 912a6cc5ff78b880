/**
 * A component in a chunk of its own. If the chunk is already loaded the component renders synchronously, so that a
 * prerendered page hydrates completely.
 */
import { type ComponentType, lazy, useState } from "react";

export interface Later {
  Page: ComponentType;
  /** Imports the chunk. */
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
