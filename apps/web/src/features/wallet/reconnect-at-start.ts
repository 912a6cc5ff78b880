/** Loads the reconnect only for who signed in by a wallet here: nobody else pays for it. Call it once the session is known. */
export async function reconnectAtStart(): Promise<void> {
  if (localStorage.getItem("walletAddress") === null) return;
  const { reconnectTrusted } = await import("./trusted-reconnect.ts");
  await reconnectTrusted();
}
