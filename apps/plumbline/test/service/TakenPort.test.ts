import { createServer, type Server } from "node:net"
import type { AddressInfo } from "node:net"

import { Effect } from "effect"
import { expect, it, vi } from "vitest"

import * as TakenPort from "../../src/service/TakenPort.ts"

/** Listens at a free port. */
const listening = (host: string) =>
  new Promise<{ readonly server: Server; readonly port: number }>((resolve) => {
    const server = createServer((socket) => socket.end())
    server.listen(0, host, () => resolve({ server, port: (server.address() as AddressInfo).port }))
  })

const codeOf = (host: string, port: number) =>
  Effect.runPromise(
    Effect.match(TakenPort.refuse(host, port), {
      onFailure: ({ reason }) => ("code" in reason ? reason.code : reason._tag),
      onSuccess: () => "free"
    })
  )

it("refuses a port at which another program listens, on one address or on all", async ({ onTestFinished }) => {
  const one = await listening("127.0.0.1")
  const all = await listening("0.0.0.0")
  onTestFinished(() => [one, all].forEach(({ server }) => server.close()))
  expect(await codeOf("127.0.0.1", one.port)).toBe("EADDRINUSE")
  expect(await codeOf("0.0.0.0", one.port)).toBe("EADDRINUSE")
  expect(await codeOf("0.0.0.0", all.port)).toBe("EADDRINUSE")
})

it("passes a free port, and opens no listener, which would lose the calls of a proxy in front", async () => {
  const { port, server } = await listening("127.0.0.1")
  await new Promise((resolve) => server.close(resolve))
  const listen = vi.spyOn(server.constructor.prototype, "listen")
  const found = await codeOf("127.0.0.1", port)
  const opened = listen.mock.calls.filter((call) => JSON.stringify(call).includes(String(port)))
  listen.mockRestore()
  expect([found, opened]).toEqual(["free", []])
})
