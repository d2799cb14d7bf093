/**
 * A webhook receiver of the service that `up` runs. It gets an alert some seconds after the usage that causes the
 * alert.
 */
import { createHmac } from "node:crypto"
import { once } from "node:events"
import { writeFile } from "node:fs/promises"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

import { describe, expect, it } from "@effect/vitest"

import * as Children from "../../support/Children.ts"
import * as Upped from "../../support/Upped.ts"

const KEY = Buffer.alloc(24, 5)

describe("a webhook", () => {
  it("gets a threshold that was passed, signed, and the operator sees that", async ({ onTestFinished }) => {
    await using folder = await Children.folder()
    const got = Promise.withResolvers<{ readonly body: string; readonly isSigned: boolean }>()
    const receiver = createServer((request, response) => {
      const chunks: Array<Buffer> = []
      request.on("data", (chunk: Buffer) => chunks.push(chunk))
      request.on("end", () => {
        const body = Buffer.concat(chunks).toString()
        const text = [request.headers["webhook-id"], request.headers["webhook-timestamp"], body].join(".")
        const signature = `v1,${createHmac("sha256", KEY).update(text).digest("base64")}`
        response.end()
        got.resolve({ body, isSigned: request.headers["webhook-signature"] === signature })
      })
    })
    onTestFinished(() => {
      receiver.close()
      receiver.closeAllConnections()
    })
    await once(receiver.listen(0, "127.0.0.1"), "listening")
    const file = `${folder.path}/plumbline.yaml`
    await writeFile(
      file,
      `networks: { history: { upstreams: [{ embedded: history }] } }
ipfs: { node: none }
webhooks: { ledger: { url: "http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook", secret: "\${SECRET}" } }
`
    )
    const service = await Upped.start(folder.path, ["--config", file], { SECRET: `whsec_${KEY.toString("base64")}` })
    const { url } = service.announcement
    const { apiKey, project } = await service.admin("POST", "/projects", { name: "wallet" })
    await service.admin("PUT", `/projects/${project.id}/alerts`, { percentOfDay: [], creditsOfDay: [1] })
    const called = await fetch(`${url}/v3/${apiKey}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}'
    })
    expect(called.status).toBe(200)
    await called.text()
    const { body, isSigned } = await got.promise
    expect(isSigned).toBe(true)
    expect(JSON.parse(body)).toMatchObject({ type: "usage.threshold", project: project.id, threshold: "1" })
    for (;;) {
      const { webhooks } = await service.admin("GET", "/webhooks")
      expect(webhooks).toMatchObject([{ name: "ledger", lost: 0, failures: 0, problem: null }])
      if (webhooks[0].delivered === 1) break
    }
    await service.stop()
  })
})
