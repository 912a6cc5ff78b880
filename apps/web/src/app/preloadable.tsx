/** A lazy component that renders synchronously once loaded, so that a prerendered page hydrates completely. */
import { type ComponentType, lazy, useState } from "react";

export interface Preloadable {
  Page: ComponentType;
  load: () => Promise<unknown>;
}

export function preloadable(importPage: () => Promise<ComponentType>): Preloadable {
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
