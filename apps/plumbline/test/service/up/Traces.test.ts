/** One trace from a client through `plumbline up` to a node, received by an OTLP collector. */
import { once } from "node:events"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import * as path from "node:path"

import { describe, expect, it } from "vitest"

import * as Upped from "../../support/Upped.ts"

interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: any
}

/** An HTTP server that records its requests, and answers with `answer`. */
const server = async (answer: (body: any) => unknown) => {
  const received: Array<Received> = []
  const listener = createServer((request, response) => {
    let text = ""
    request.setEncoding("utf8").on("data", (chunk: string) => (text += chunk))
    request.on("end", () => {
      const body = JSON.parse(text)
      received.push({ path: request.url ?? "", headers: request.headers, body })
      response.setHeader("content-type", "application/json")
      response.end(JSON.stringify(answer(body)))
    })
  })
  listener.listen(0, "127.0.0.1")
  await once(listener, "listening")
  return {
    received,
    url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    close: () => {
      listener.closeAllConnections()
      listener.close()
    }
  }
}

const TRACE = "0af7651916cd43dd8448eb211c80319c"
const PARENT = "b7ad6b7169203331"

describe("a trace", () => {
  it("reaches node and collector with the same id", async ({ onTestFinished }) => {
    const node = await server(({ id, method }) => ({
      jsonrpc: "2.0",
      id,
      result: method === "eth_chainId" ? "0x1" : "0x2"
    }))
    const collector = await server(() => ({}))
    const folder = await mkdtemp(path.join(tmpdir(), "plumbline-traces-"))
    onTestFinished(async () => {
      node.close()
      collector.close()
      await rm(folder, { recursive: true, force: true })
    })
    const file = path.join(folder, "plumbline.json")
    const traces = { url: `${collector.url}/v1/traces`, headers: { "x-token": "s3cret" }, sample: 1 }
    const networks = { main: { chainId: 1, upstreams: [{ url: node.url }] } }
    await writeFile(file, JSON.stringify({ networks, ipfs: { node: "none" }, observability: { traces } }))
    const service = await Upped.start(path.join(folder, "data"), ["--config", file])
    const response = await fetch(`${service.announcement.url}/v3/${service.announcement.apiKey}`, {
      method: "POST",
      headers: { "content-type": "application/json", traceparent: `00-${TRACE}-${PARENT}-01` },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_blockNumber", params: [] })
    })
    expect(await response.json()).toMatchObject({ result: "0x2" })
    // waiting spans are sent at shutdown
    const { stderr } = await service.stop()

    const spans = collector.received.flatMap(({ body }) =>
      body.resourceSpans.flatMap(({ scopeSpans }: any) => scopeSpans.flatMap(({ spans }: any) => spans))
    )
    const request = spans.find(({ parentSpanId }) => parentSpanId === PARENT)
    const call = spans.find(({ parentSpanId }) => parentSpanId === request.spanId)
    expect(spans).toHaveLength(2)
    expect([request.traceId, call.traceId, request.name, call.name]).toEqual([
      TRACE,
      TRACE,
      "POST /v3",
      "eth_blockNumber"
    ])
    const asked = node.received.filter(({ body }) => body.method === "eth_blockNumber")
    expect(asked.map(({ headers }) => headers["traceparent"])).toEqual([`00-${TRACE}-${call.spanId}-01`])
    expect(collector.received[0]).toMatchObject({ path: "/v1/traces", headers: { "x-token": "s3cret" } })
    expect(JSON.stringify(collector.received)).not.toContain(service.announcement.apiKey)
    expect(stderr).not.toMatch(/s3cret|v1\/traces/u)
  })
})
