import type { Socket } from "node:net";
import { type SecureContext, TLSSocket } from "node:tls";

export interface HandshakeOptions {
  /** @param name the client's SNI; undefined before it is known */
  context(name?: string): SecureContext;
  /** Asked first: `null` at once, or later if there is none for the name. */
  contextFor?: ((name: string) => Promise<SecureContext | null> | null) | undefined;
  timeoutMs: number;
  /** ALPN protocols to offer, the preferred one first. */
  protocols?: string[];
}

/** Rejects, with the socket closed, when the handshake fails or times out. */
export function acceptTls(plain: Socket, options: HandshakeOptions): Promise<TLSSocket> {
  const { context, contextFor, timeoutMs, protocols } = options;
  return new Promise((resolve, reject) => {
    plain.setTimeout(0);
    const secure = new TLSSocket(plain, {
      isServer: true,
      secureContext: context(),
      SNICallback: (name, chosen) => {
        const special = contextFor?.(name) ?? null;
        if (special === null) return chosen(null, context(name));
        void special.catch(() => null).then((found) => chosen(null, found ?? context(name)));
      },
      ...(protocols && { ALPNProtocols: protocols }),
    });
    const timer = setTimeout(() => secure.destroy(new Error("handshake timed out")), timeoutMs);
    // This listener stays: without one, an error before the next owner listens would end the process.
    secure.on("error", reject);
    secure.once("close", () => reject(new Error("closed in handshake")));
    secure.once("secure", () => {
      clearTimeout(timer);
      // Node's own TLS server does the same; without it an HTTP/2 session waits for `secureConnect`, a client's event.
      Object.assign(secure, { secureConnecting: false });
      resolve(secure);
    });
    plain.once("close", () => clearTimeout(timer));
    plain.resume();
  });
}
