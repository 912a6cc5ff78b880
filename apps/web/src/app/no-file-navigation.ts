/** Prevents the browser from opening a file that was dropped beside its target: typed text would be lost. */
import { useEffect } from "react";

function refuse(event: DragEvent): void {
  // A form that accepts files has already called preventDefault: events reach the window last.
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
