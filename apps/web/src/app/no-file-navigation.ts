/** A file that is dropped beside its target must not take the page's place: what was typed would be lost. */
import { useEffect } from "react";

function refuse(event: DragEvent): void {
  // A form that takes files has said so before: events reach the window last.
  if (event.defaultPrevented || event.dataTransfer?.types.includes("Files") !== true) return;
  event.preventDefault();
  event.dataTransfer.dropEffect = "none";
}

export function useNoFileNavigation(): void {
  useEffect(() => {
    window.addEventListener("dragover", refuse);
    window.addEventListener("drop", refuse);
    return () => {
      window.removeEventListener("dragover", refuse);
      window.removeEventListener("drop", refuse);
    };
  }, []);
}
