/** Ports of this machine for the servers that a test starts. */
import { createServer } from "node:net"

/** Returns a port on which nothing listens at this moment. Another program can take it before the test does. */
export const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer()
    server.once("error", reject)
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
    })
  })
