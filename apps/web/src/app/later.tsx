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

export function later(importPage: () => Promise<ComponentType>): Later {
  let loaded: ComponentType | null = null;
  const load = async () => {
    loaded ??= await importPage();
    return { default: loaded };
  };
  const LazyPage = lazy(load);
  function Page() {
    const [Chosen] = useState<ComponentType>(() => loaded ?? LazyPage);
    return <Chosen />;
  }
  return { Page, load };
}
