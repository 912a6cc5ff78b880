/** Once the messages are there. @param formId of the form whose first refused field gets the focus */
export function focusFirstError(formId: string): void {
  requestAnimationFrame(() => {
    document.getElementById(formId)?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  });
}
