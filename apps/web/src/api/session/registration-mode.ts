import { type RegistrationMode, registrationMeta, registrationModes } from "@kauke/contract";

/** Pages that hydrate were prerendered for open registration; the server sends no others. */
export function registrationMode(): RegistrationMode {
  if (typeof document === "undefined") return "open";
  const content = document.querySelector<HTMLMetaElement>(`meta[name="${registrationMeta}"]`)?.content;
  return registrationModes.find((mode) => mode === content) ?? "open";
}
