/** Length of the accept queue: Linux's maximum. If it is full, a client's SYN is repeated after 1 s (RFC 6298 §2). */
export const LISTEN_BACKLOG = 4096;
