/** Such a text is stored nowhere, in whichever field it was put by mistake. */
export const holdsPrivateKey = (text: string): boolean => /AGE-SECRET-KEY-/i.test(text);
