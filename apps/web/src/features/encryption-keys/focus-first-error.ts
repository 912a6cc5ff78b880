import { useEffect, useReducer } from "react";

/**
 * @param formId id of the form
 * @returns a function to call together with setting errors: it focuses the first invalid field once they are rendered
 */
export function useFocusFirstError(formId: string): () => void {
  const [asked, ask] = useReducer((times: number) => times + 1, 0);
  useEffect(() => {
    if (asked > 0) document.getElementById(formId)?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [asked, formId]);
  return ask;
}
