import { describe, expect, it } from "@effect/vitest"

import * as HostFetch from "../../src/node/HostFetch.ts"
import * as Servers from "../support/Servers.ts"

const fetch = HostFetch.make("live.localhost:8645")

describe("fetch with a Host of one's own", () => {
  it("says it, and sends the rest as asked", async () => {
    await using server = await Servers.serve((request, response) => {
      const chunks: Array<Buffer> = []
      request.on("data", (chunk) => chunks.push(chunk))
      request.on("end", () => {
        response.setHeader("content-type", "application/json")
        response.end(
          JSON.stringify({
            host: request.headers.host,
            method: request.method,
            path: request.url,
            type: request.headers["content-type"],
            body: Buffer.concat(chunks).toString()
          })
        )
      })
    })
    const headers = new Headers({ "content-type": "application/json" })
    const response = await fetch(`${server.url}/v3/key`, { method: "POST", headers, body: '{"ü":1}' })
    expect(response.status).toBe(200)
    expect(response.headers.get("content-type")).toBe("application/json")
    expect(await response.json()).toEqual({
      host: "live.localhost:8645",
      method: "POST",
      path: "/v3/key",
      type: "application/json",
      body: '{"ü":1}'
    })
  })

  it("gives statuses and headers as they came, with a body or without", async () => {
    await using server = await Servers.serve((_, response) => {
      response.writeHead(429, { "retry-after": "7" }).end("slow down")
    })
    const response = await fetch(server.url, { method: "POST", body: "" })
    expect([response.status, response.ok, response.headers.get("retry-after")]).toEqual([429, false, "7"])
    expect(await response.text()).toBe("slow down")

    await using silent = await Servers.serve((_, response) => response.writeHead(204).end())
    expect((await fetch(silent.url, { method: "POST", body: "" })).body).toBeNull()
  })

  it("fails with the system's code, and ends when it is given up", async () => {
    const refused = fetch(await Servers.nobody(), { method: "POST", body: "" })
    await expect(refused).rejects.toMatchObject({ code: "ECONNREFUSED" })

    const controller = new AbortController()
    await using server = await Servers.serve(() => controller.abort())
    await expect(fetch(server.url, { method: "POST", body: "", signal: controller.signal })).rejects.toMatchObject({
      name: "AbortError"
    })
  })
})
