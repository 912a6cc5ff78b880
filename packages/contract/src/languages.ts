/** Languages of the web app, by their own names. The first is that of the texts in the code. */
export const languages = { en: "English", de: "Deutsch", lt: "Lietuvių" } as const;

export type Language = keyof typeof languages;

export const isLanguage = (tag: string): tag is Language => Object.hasOwn(languages, tag);

/** Cookie with the language that a person chose; without it, the browser's `Accept-Language` decides. */
export const languageCookie = "language";
