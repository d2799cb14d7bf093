/** A node behind HTTP in this process. It answers as the test defines, and records its requests. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

import { Effect } from "effect"

export interface Asked {
  readonly method: string
  readonly params: ReadonlyArray<unknown>
  readonly id: number
}

export interface FakeNode {
  readonly url: string
  /** Every request that the node received, in order. */
  readonly asked: Array<Asked>
  /** Resolves after this number of requests have arrived. */
  readonly wasAsked: (count: number) => Promise<void>
  /** Resolves after this number of requests were cancelled by the other side. */
  readonly abandoned: (count: number) => Promise<void>
}

/** The answer to one request. A value becomes `result`; a function writes the whole response. */
export type Behaviour = (
  asked: Asked
) =>
  | { readonly result: unknown }
  | { readonly error: unknown }
  | ((response: ServerResponse, request: IncomingMessage) => void)

export const make = (behaviour: Behaviour) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const asked: Array<Asked> = []
      const counters = { asked: new Counter(), abandoned: new Counter() }
      const server = createServer(async (request, response) => {
        let body = ""
        request.setEncoding("utf8")
        for await (const chunk of request) body += chunk
        const message: Asked = JSON.parse(body)
        asked.push(message)
        counters.asked.add()
        response.once("close", () => {
          if (!response.writableFinished) counters.abandoned.add()
        })
        const answer = behaviour(message)
        if (typeof answer === "function") answer(response, request)
        else json(response, JSON.stringify({ jsonrpc: "2.0", id: message.id, ...answer }))
      })
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      const { port } = server.address() as AddressInfo
      const node: FakeNode = {
        url: `http://127.0.0.1:${port}`,
        asked,
        wasAsked: (count) => counters.asked.reached(count),
        abandoned: (count) => counters.abandoned.reached(count)
      }
      return { node, server }
    }),
    ({ server }) =>
      Effect.promise(
        () =>
          new Promise<void>((resolve) => {
            server.close(() => resolve())
            server.closeAllConnections()
          })
      )
  ).pipe(Effect.map(({ node }) => node))

export const json = (response: ServerResponse, text: string, status = 200): void => {
  response.writeHead(status, { "content-type": "application/json", "content-length": Buffer.byteLength(text) })
  response.end(text)
}

class Counter {
  #count = 0
  #waiting: Array<{ readonly count: number; readonly resolve: () => void }> = []

  add(): void {
    this.#count++
    for (const { count, resolve } of this.#waiting) if (this.#count >= count) resolve()
  }

  reached(count: number): Promise<void> {
    return this.#count >= count ? Promise.resolve() : new Promise((resolve) => this.#waiting.push({ count, resolve }))
  }
}
