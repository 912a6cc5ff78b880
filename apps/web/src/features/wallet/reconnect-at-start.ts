/** Loads the reconnect code only for users who signed in with a wallet here. Call it once the session is known. */
export async function reconnectAtStart(): Promise<void> {
  if (localStorage.getItem("walletAddress") === null) return;
  const { reconnectTrusted } = await import("./trusted-reconnect.ts");
  await reconnectTrusted();
}
