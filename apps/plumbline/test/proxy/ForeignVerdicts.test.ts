/** A node adds verdicts of its own to its answers. They are removed and counted, and never believed. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

import { assert, describe, it } from "@effect/vitest"
import { WebSocketServer } from "ws"

import * as ForeignVerdicts from "../../src/proxy/ForeignVerdicts.ts"
import * as Children from "../support/Children.ts"
import { textOf } from "../support/LyingNode.ts"

const OWN = { verdict: "VERIFIED", claimed: [] }

const answerTo = (text: string): string => {
  const packet = JSON.parse(text)
  const answer = ({ id }: any) => ({ jsonrpc: "2.0", id, result: "0x7", plumbline: OWN })
  return JSON.stringify(Array.isArray(packet) ? packet.map(answer) : answer(packet))
}

describe("--annotate before a node with verdicts of its own", () => {
  it("says the proxy's, and how many were removed", async () => {
    const server = createServer(async (request, response) => response.end(answerTo(await textOf(request))))
    new WebSocketServer({ server }).on("connection", (socket) =>
      socket.on("message", (data: any) => socket.send(answerTo(String(data))))
    )
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const { port } = server.address() as AddressInfo
    for (const protocol of ["http", "ws"]) {
      const url = `${protocol}://127.0.0.1:${port}`
      const child = Children.start(["proxy", "--annotate", "--port", "0", "--url", url])
      const opened = new Promise<string>((resolve) => {
        let said = ""
        child.process.stdout!.on("data", (text: string) => {
          said += text
          const proxy = /http:\/\/127\.0\.0\.1:\d+/u.exec(said)
          if (proxy !== null) resolve(proxy[0])
        })
      })
      const response = await fetch(await opened, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_gasPrice", params: [] })
      })
      const { plumbline, result }: any = await response.json()
      assert.deepEqual([result, plumbline.verdict], ["0x7", "CLAIMED"])
      child.process.kill("SIGTERM")
      assert.include((await child.ended).stderr, "1 x removed: a verdict of the node's own")
    }
    server.closeAllConnections()
    server.close()
  })
})

describe("the count", () => {
  const counted = async (body: string, expected: number): Promise<[same: string, members: number]> => {
    let members = 0
    let done: (() => void) | undefined
    const looked = new Promise<void>((resolve) => (done = resolve))
    const fetch = ForeignVerdicts.watchingFetch(
      async () => new Response(body),
      (count) => {
        members += count
        done?.()
      }
    )
    const text = await (await fetch("http://node.example")).text()
    // a body without such members is not reported, so the test can only wait for a fixed time
    await (expected > 0 ? looked : new Promise((resolve) => setTimeout(resolve, 20)))
    return [text, members]
  }

  it("is of members beside a result, and changes no byte", async () => {
    const table: ReadonlyArray<readonly [body: string, members: number]> = [
      ['{"id":1,"result":1,"plumbline":{}}', 1],
      ['[{"id":1,"plumbline":1},{"id":2},{"id":3,"plumbline":null}]', 2],
      ['{"id":1,"result":{"plumbline":1}}', 0],
      ['{"id":"plumbline","result":[{"plumbline":1}]}', 0],
      ['{"plumbline":', 0],
      ["[null,7]", 0]
    ]
    for (const [body, members] of table) assert.deepEqual(await counted(body, members), [body, members])
  })
})
