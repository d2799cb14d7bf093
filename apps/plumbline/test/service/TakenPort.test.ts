import { createServer, type Server } from "node:net"
import type { AddressInfo } from "node:net"

import { freePort } from "@plumbline/gateway/support/ports"
import { Effect, Exit, Result, Scope } from "effect"
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

it("gives workers another port than the usual one if workers of another service share it", async () => {
  const server = createServer((socket) => socket.end())
  await new Promise<void>((resolve) => server.listen({ host: "127.0.0.1", port: 0, reusePort: true }, resolve))
  const { port } = server.address() as AddressInfo
  // the system itself refuses nothing
  const other = createServer()
  await new Promise<void>((resolve) => other.listen({ host: "127.0.0.1", port, reusePort: true }, resolve))
  await new Promise((resolve) => other.close(resolve))
  const found = () => Effect.runPromise(Effect.scoped(TakenPort.forWorkers("127.0.0.1", port)))
  expect(await found()).toBe(0)
  await new Promise((resolve) => server.close(resolve))
  expect(await found()).toBe(port)
})

it.runIf(process.platform === "linux")(
  "keeps the workers of a service that starts in the same moment from a port, until the first service ends",
  async () => {
    const port = await freePort()
    const holder = Scope.makeUnsafe()
    const hold = (scope: Scope.Scope, host = "127.0.0.1") =>
      Effect.runPromise(Scope.provide(Effect.result(TakenPort.hold(host, port)), scope))
    const both = await Promise.all([hold(holder), hold(holder)])
    expect(both.map(({ _tag }) => _tag).toSorted()).toEqual(["Failure", "Success"])
    expect(both.find(Result.isFailure)?.failure.reason).toMatchObject({ code: "EADDRINUSE", port })
    // another address is another port
    expect((await hold(holder, "127.0.0.2"))._tag).toBe("Success")
    expect(await Effect.runPromise(Effect.scoped(TakenPort.forWorkers("127.0.0.1", port)))).toBe(0)
    await Effect.runPromise(Scope.close(holder, Exit.void))
    const next = Scope.makeUnsafe()
    expect((await hold(next))._tag).toBe("Success")
    await Effect.runPromise(Scope.close(next, Exit.void))
  }
)
