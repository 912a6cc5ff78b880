/**
 * Connections that the kernel holds until the event loop accepts them. Whoever finds the queue full waits a second: that is
 * when TCP repeats a SYN (RFC 6298 §2). Node asks for 511, which a burst fills; Linux itself allows 4,096 at most
 * (`net.core.somaxconn`), and accepting that many takes some 200 ms.
 */
export const listenBacklog = 4096;
