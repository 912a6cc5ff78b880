/** Characters that file systems forbid, or that can disguise a file name. */
const unsafe = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}<>:"/\\|?*\u115f\u1160\u3164\uffa0]/gu;
const device = /^(?:con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i;
const NAME_MAX = 120;
const EXTENSION_MAX = 16;

/** @param number position in the message, for `attachment-2` in place of an unusable name */
export function cleanFileName(name: string, number: number): string {
  const seen = name.normalize("NFC").replace(unsafe, " ").replace(/\s+/g, " ");
  // A leading dot hides the file; Windows drops trailing ones.
  const trimmed = seen.replace(/^[. ]+|[. ]+$/g, "");
  if (trimmed === "") return `attachment-${number}`;
  return shortened(device.test(trimmed) ? `_${trimmed}` : trimmed);
}

/** Shortens a file name, but not its extension. */
function shortened(name: string): string {
  const characters = [...name];
  if (characters.length <= NAME_MAX) return name;
  const dot = characters.lastIndexOf(".");
  const ending = dot > 0 && characters.length - dot <= EXTENSION_MAX ? characters.slice(dot) : [];
  return [...characters.slice(0, NAME_MAX - ending.length), ...ending].join("");
}
