/** Ports of this machine for the servers that a test starts. */
import { createServer, type AddressInfo } from "node:net"

/** Returns a port on which nothing listens at this moment. Another program can take it before the test does. */
export const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer()
    server.once("error", reject)
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })
