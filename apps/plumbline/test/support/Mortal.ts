/** A server that dies, hangs and comes back at the same address. */
import { createServer, type RequestListener, type Server } from "node:http"
import type { AddressInfo } from "node:net"

/** The server, and its ends. */
export interface Mortal extends AsyncDisposable {
  readonly url: string
  /** Closes the port and all connections, as the end of a process does. */
  readonly die: () => Promise<void>
  /** Accepts connections and requests, and answers none, as a stopped process does. */
  readonly hang: () => Promise<void>
  readonly revive: () => Promise<void>
}

/** Starts a server on 127.0.0.1, at any free port. */
export const serve = async (listener: RequestListener): Promise<Mortal> => {
  let isHung = false
  let server: Server
  const open = (port: number) =>
    new Promise<void>((resolve) => {
      server = createServer((request, response) => {
        if (!isHung) return listener(request, response)
        request.resume()
      })
      server.listen(port, "127.0.0.1", resolve)
    })
  const die = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  await open(0)
  const { port } = server!.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    die,
    hang: async () => {
      isHung = true
    },
    revive: async () => {
      if (isHung) server.closeAllConnections()
      else await open(port)
      isHung = false
    },
    [Symbol.asyncDispose]: die
  }
}
