/** The server's side of a TLS handshake. */
import type { Socket } from "node:net";
import { type SecureContext, TLSSocket } from "node:tls";

export interface HandshakeOptions {
  /** @param name what the client asks for (SNI); undefined before that is known */
  context(name?: string): SecureContext;
  timeoutMs: number;
  /** Protocols to offer by ALPN, the preferred one first. */
  protocols?: string[];
}

/** Rejects when the handshake fails or takes too long; the socket is closed then. */
export function acceptTls(plain: Socket, { context, timeoutMs, protocols }: HandshakeOptions): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    plain.setTimeout(0);
    const secure = new TLSSocket(plain, {
      isServer: true,
      secureContext: context(),
      SNICallback: (name, chosen) => chosen(null, context(name)),
      ...(protocols && { ALPNProtocols: protocols }),
    });
    const timer = setTimeout(() => secure.destroy(new Error("handshake timed out")), timeoutMs);
    // It stays, so that an error before the next owner listens does not end the process.
    secure.on("error", reject);
    secure.once("close", () => reject(new Error("closed in handshake")));
    secure.once("secure", () => {
      clearTimeout(timer);
      // As Node's own TLS server does; an HTTP/2 session would otherwise wait for a client's `secureConnect`.
      Object.assign(secure, { secureConnecting: false });
      resolve(secure);
    });
    plain.once("close", () => clearTimeout(timer));
    plain.resume();
  });
}
