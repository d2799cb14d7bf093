/** A node of the history chain that tells a lie of the catalogue. It listens on a port of this machine. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"

import * as History from "@plumbline/devnet/history/History"
import * as ErrorObject from "@plumbline/jsonrpc-core/error/ErrorObject"
import * as HttpTransport from "@plumbline/jsonrpc-core/http/HttpTransport"
import * as Dispatcher from "@plumbline/jsonrpc-core/server/Dispatcher"
import * as Catalogue from "@plumbline/tamper/catalogue/Catalogue"
import * as Tamper from "@plumbline/tamper/tell/Tamper"
import * as Effect from "effect/Effect"

/** A node with its address. */
export interface Liar {
  readonly url: string
  readonly stop: () => Promise<void>
}

/** Starts the node. */
export const start = async (lie: string): Promise<Liar> => {
  const history = await Effect.runPromise(History.make)
  const fetch: typeof globalThis.fetch = async (_, init) =>
    new Response((await Effect.runPromise(history.handle(init?.body as string))) as BodyInit, {
      headers: { "content-type": "application/json" }
    })
  const honest = await Effect.runPromise(HttpTransport.make({ url: "http://history.invalid", fetch }))
  const { call } = Tamper.make(Catalogue.byName(lie)!)(honest)
  const encoder = new TextEncoder()
  const { handle } = Dispatcher.make({
    call: ({ method, params }) =>
      call({ method, params: Array.isArray(params) ? params : [] }).pipe(
        Effect.map((result) => encoder.encode(JSON.stringify(result))),
        Effect.mapError(({ reason }) =>
          reason._tag === "RemoteError"
            ? ErrorObject.make(reason.code, reason.message, reason.data)
            : ErrorObject.internalError()
        )
      )
  })
  const server = createServer(async (request, response) => {
    const answer = await Effect.runPromise(handle(await text(request)))
    response.writeHead(200, { "content-type": "application/json" }).end(answer)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  }
}
