/** Linux's maximum. If the accept queue is full, a client's SYN is dropped and repeated after 1 s (RFC 6298 §2). */
export const LISTEN_BACKLOG = 4096;
