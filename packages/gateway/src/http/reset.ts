/** Ends connections whose clients do not read. */
import { Socket } from "node:net"
import type { Duplex } from "node:stream"

/**
 * Resets a connection. Unlike `destroy`, this also drops the data that the system holds for the client: the system would
 * keep megabytes for each client that does not read, for minutes.
 */
export const reset = (socket: Duplex): void => {
  const raw = rawOf(socket)
  // not at once: inside an event of TLS, Node (22 and 24) loses the memory under that event, and the process ends
  setImmediate(() => {
    if (raw instanceof Socket && !raw.destroyed) raw.resetAndDestroy()
    socket.destroy()
  })
}

/** Returns the connection under TLS, because only it can be reset. */
const rawOf = (socket: Duplex & { readonly _parent?: unknown }): unknown => socket._parent ?? socket
