/** Focuses the first invalid field once the error messages are rendered. @param formId id of the form */
export function focusFirstError(formId: string): void {
  requestAnimationFrame(() => {
    document.getElementById(formId)?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  });
}
