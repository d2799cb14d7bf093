/** Servers that close at the end of the test. */
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"

/**
 * Starts a server on 127.0.0.1, at any free port. It keeps idle connections: a busy test process would otherwise close
 * one just as the command uses it again.
 */
export const serve = async (listener: RequestListener): Promise<{ readonly url: string } & AsyncDisposable> => {
  const server = createServer({ keepAliveTimeout: 300_000 }, listener)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
  }
}

/** Returns a URL at which no server listens any more. (`fetch` refuses some ports, such as 1, by itself.) */
export const nobody = async (): Promise<string> => {
  await using server = await serve(() => undefined)
  return server.url
}
