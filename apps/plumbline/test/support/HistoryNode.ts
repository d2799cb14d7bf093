/** A node on the history chain, for the tests of one file, and a node in front of it that tells the lies of a test. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

import { afterAll, beforeAll } from "@effect/vitest"
import { History } from "@plumbline/devnet"
import { Effect } from "effect"

import * as LyingNode from "./LyingNode.ts"

/** Returns a function that gives the node once the tests run. */
export const lyingNode = (): (() => LyingNode.LyingNode) => {
  let node: LyingNode.LyingNode | undefined
  let close: (() => void) | undefined
  beforeAll(async () => {
    const history = await Effect.runPromise(History.make)
    const server = createServer(async (request, response) => {
      response.end(await Effect.runPromise(history.handle(await LyingNode.textOf(request))))
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    node = await LyingNode.start(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    close = () => {
      server.close()
      server.closeAllConnections()
    }
  })
  afterAll(async () => {
    await node?.close()
    close?.()
  })
  return () => {
    if (node === undefined) throw new Error("the node did not start")
    return node
  }
}
