/** Loads the reconnect code if the user signed in with a wallet in this browser. Call once the session is known. */
export async function reconnectAtStart(): Promise<void> {
  if (localStorage.getItem("walletAddress") === null) return;
  const { reconnectTrusted } = await import("./trusted-reconnect.ts");
  await reconnectTrusted();
}
