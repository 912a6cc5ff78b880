/**
 * Length of the accept queue. If it is full, a client's SYN is dropped and repeated after one second (RFC 6298 §2).
 * Node's default of 511 is too short for a burst; Linux allows at most 4,096 (`net.core.somaxconn`), and accepting that
 * many takes about 200 ms.
 */
export const LISTEN_BACKLOG = 4096;
