/** Ports of this machine for the servers that a test starts. */
import { randomInt } from "node:crypto"
import { createServer } from "node:net"

/**
 * The ports that tests take. They are below the ports that systems give to outgoing connections and to programs that ask
 * for any port, so nothing takes one of them between this check and the start of the server.
 */
const FIRST = 12_000
const COUNT = 20_000

/** Each process begins at another port and goes on from there, so that it never returns a port twice. */
let next = randomInt(COUNT)

/** Returns a port on which nothing listens. */
export const freePort = async (): Promise<number> => {
  for (;;) {
    const port = FIRST + (next++ % COUNT)
    if (await isFree(port)) return port
  }
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once("error", () => resolve(false))
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)))
  })
