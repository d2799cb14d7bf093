/** HTTPS and secure WebSockets on the gateway's listener. The clients are openssl and Node. */
import { execFile } from "node:child_process"
import * as https from "node:https"
import * as net from "node:net"
import * as tls from "node:tls"
import { promisify } from "node:util"

import { assert, describe, it } from "@effect/vitest"
import { type GatewayOptions, Tls } from "@plumbline/gateway"
import { Deferred, Effect, Exit, Fiber, Redacted, Result, Scope } from "effect"
import { WebSocket } from "ws"

import { reset } from "../../src/http/reset.ts"
import * as Certificates from "../support/certificates.ts"
import * as Service from "../support/service.ts"

const BODY = Service.call("eth_chainId")
const RESULT = '{"jsonrpc":"2.0","id":1,"result":"0x1"}'
const result = new TextEncoder().encode('"0x1"')
const works = { call: () => Effect.succeed(result) }

const made = (name: string, days?: number) => Effect.promise(() => Certificates.make(name, days))

const ask = (
  { port }: { readonly port: number },
  ca: string,
  agent: https.Agent | false = false
): Effect.Effect<{ readonly status: number; readonly body: string; readonly peer: string }, Error> =>
  Effect.callback((resume) => {
    const headers = { "content-type": "application/json", "content-length": BODY.length }
    const options = { host: "127.0.0.1", port, ca, agent, method: "POST", path: `/v3/${Service.KEY}`, headers }
    const request = https.request(options, (response) => {
      const peer = (response.socket as tls.TLSSocket).getPeerCertificate().subject.CN as string
      let body = ""
      response.setEncoding("utf8").on("data", (chunk: string) => (body += chunk))
      response.once("end", () => resume(Effect.succeed({ status: response.statusCode ?? 0, body, peer })))
    })
    request.once("error", (error) => resume(Effect.fail(error)))
    request.end(BODY)
  })

const secured = Effect.fnUntraced(function* (options: Omit<GatewayOptions.GatewayOptions, "networks"> = {}) {
  const own = yield* made("first")
  return { own, service: yield* Service.start(works, { tls: own, ...options }) }
})

describe("a listener with a certificate", () => {
  it.live("can reset a connection under TLS, which ends it at once for its client", () =>
    Effect.gen(function* () {
      const { certificate, key } = yield* made("first")
      const server = tls.createServer({ cert: certificate, key: Redacted.value(key) }, reset)
      yield* Effect.acquireRelease(
        Effect.callback<void>((resume) => {
          server.on("tlsClientError", () => undefined)
          server.listen(0, "127.0.0.1", () => resume(Effect.void))
        }),
        () => Effect.sync(() => server.close())
      )
      const { port } = server.address() as net.AddressInfo
      const code = yield* Effect.callback<unknown>((resume) => {
        const client = tls.connect({ host: "127.0.0.1", port, ca: certificate, checkServerIdentity: () => undefined })
        client.once("error", (error: NodeJS.ErrnoException) => resume(Effect.succeed(error.code)))
        client.once("end", () => resume(Effect.succeed("end")))
      })
      assert.strictEqual(code, "ECONNRESET")
    }).pipe(Effect.scoped)
  )

  it.live("answers calls and WebSockets over TLS", () =>
    Effect.gen(function* () {
      const { own, service } = yield* secured()
      assert.strictEqual(service.url, `https://127.0.0.1:${service.port}`)
      assert.strictEqual(service.wsUrl, `wss://127.0.0.1:${service.port}`)
      const { body, peer, status } = yield* ask(service, own.certificate)
      assert.deepStrictEqual([status, body, peer], [200, RESULT, "first"])
      const heard = yield* Effect.callback<string>((resume) => {
        const socket = new WebSocket(`${service.wsUrl}/ws/v3/${Service.KEY}`, { ca: own.certificate })
        socket.once("open", () => socket.send(BODY))
        socket.once("message", (data: Buffer) => {
          resume(Effect.succeed(data.toString("utf8")))
          socket.terminate()
        })
      })
      assert.strictEqual(heard, RESULT)
      assert.match(yield* service.metrics, /^plumbline_tls_certificate_end_seconds \d{10}$/mu)
    })
  )

  it.live("refuses plain HTTP, and stays", () =>
    Effect.gen(function* () {
      const { own, service } = yield* secured()
      assert.strictEqual(yield* Service.raw(service, "GET /health HTTP/1.1\r\nhost: x\r\n\r\n"), "")
      assert.strictEqual((yield* ask(service, own.certificate)).status, 200)
    })
  )

  it.live("speaks TLS 1.2 and 1.3, or only the newer", () =>
    Effect.gen(function* () {
      const { own, service } = yield* secured()
      const only = yield* Service.start(works, { tls: { ...own, minVersion: "TLSv1.3" } })
      const spoken = (port: number, version: "-tls1_1" | "-tls1_2" | "-tls1_3") =>
        Effect.promise(() => {
          const asked = promisify(execFile)("openssl", ["s_client", "-connect", `127.0.0.1:${port}`, version, "-brief"])
          asked.child.stdin?.end()
          return asked.then(({ stderr, stdout }) => /TLSv1\.\d/u.exec(stderr + stdout)?.[0]).catch(() => "refused")
        })
      assert.strictEqual(yield* spoken(service.port, "-tls1_1"), "refused")
      assert.strictEqual(yield* spoken(service.port, "-tls1_2"), "TLSv1.2")
      assert.strictEqual(yield* spoken(service.port, "-tls1_3"), "TLSv1.3")
      assert.strictEqual(yield* spoken(only.port, "-tls1_2"), "refused")
      assert.strictEqual(yield* spoken(only.port, "-tls1_3"), "TLSv1.3")
    })
  )

  it.live("takes another certificate for new connections, and keeps the open ones", () =>
    Effect.gen(function* () {
      const { own, service } = yield* secured()
      const next = yield* made("second", 30)
      const both = own.certificate + next.certificate
      const agent = new https.Agent({ keepAlive: true, maxSockets: 1 })
      assert.strictEqual((yield* ask(service, both, agent)).peer, "first")
      yield* service.renew(next)
      assert.strictEqual((yield* ask(service, both, agent)).peer, "first")
      assert.strictEqual((yield* ask(service, both)).peer, "second")
      agent.destroy()
      const ends = Number(/end_seconds (\d+)/u.exec(yield* service.metrics)?.[1])
      assert.approximately(ends, Date.now() / 1000 + 30 * 86_400, 3600)
      const third = yield* made("third")
      yield* service.reload({ networks: [Service.network(works)], tls: third })
      assert.strictEqual((yield* ask(service, third.certificate)).peer, "third")
    })
  )

  it.live("keeps its certificate if another cannot be used", () =>
    Effect.gen(function* () {
      const { own, service } = yield* secured()
      const other = yield* made("other")
      const rows: ReadonlyArray<readonly [Tls.Tls, string]> = [
        [{ ...own, key: other.key }, "tls: the key is not that of the certificate"],
        [{ ...own, certificate: "x" }, "tls: the certificate is not a certificate in PEM"],
        [{ ...own, key: Redacted.make("x") }, "tls: the key or the certificate cannot be used"]
      ]
      for (const [wrong, message] of rows) {
        const { message: said } = yield* Effect.flip(service.renew(wrong))
        assert.include(said, message)
        assert.notInclude(said, Redacted.value(wrong.key).slice(30, 60) || "-----")
        const reloaded = yield* Effect.flip(service.reload({ networks: [Service.network(works)], tls: wrong }))
        assert.strictEqual(reloaded.message, said)
      }
      assert.strictEqual((yield* ask(service, own.certificate)).peer, "first")
      const plain = yield* Effect.flip(service.reload({ networks: [Service.network(works)] }))
      assert.strictEqual(plain.message, "tls: cannot change while the service runs")
    })
  )

  it.live("without TLS takes none later", () =>
    Effect.gen(function* () {
      const service = yield* Service.start(works)
      const error = yield* Effect.flip(service.renew(yield* made("first")))
      assert.strictEqual(error.message, "tls: cannot change while the service runs")
    })
  )

  it.live("ends a connection that does not shake hands", () =>
    Effect.gen(function* () {
      const { service } = yield* secured({ timeouts: { headers: "200 millis" } })
      assert.strictEqual(yield* Service.raw(service, Buffer.from([0x16, 3, 1])), "")
    })
  )

  it.live("ends without losing a request, and waits for no handshake", () =>
    Effect.gen(function* () {
      const own = yield* made("first")
      const open = yield* Deferred.make<Uint8Array>()
      const begun = yield* Deferred.make<void>()
      const scope = yield* Scope.make()
      const upstream = { call: () => Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(open)) }
      const service = yield* Service.start(upstream, { tls: own, timeouts: { drain: "20 seconds" } }).pipe(
        Scope.provide(scope)
      )
      const silent = net.connect(service.port, "127.0.0.1")
      const idle = tls.connect({ host: "127.0.0.1", port: service.port, ca: own.certificate })
      let last = ""
      idle.on("data", (chunk) => (last += chunk.toString("latin1")))
      yield* Effect.promise(() => new Promise((resolve) => idle.once("secureConnect", resolve)))
      const asked = yield* Effect.forkChild(ask(service, own.certificate))
      yield* Deferred.await(begun)
      const since = performance.now()
      const end = yield* Effect.forkChild(Scope.close(scope, Exit.void))
      yield* Effect.promise(() => new Promise((resolve) => idle.once("close", resolve)))
      assert.match(last, /^HTTP\/1\.1 408 /u)
      yield* Deferred.succeed(open, result)
      assert.strictEqual((yield* Fiber.join(asked)).body, RESULT)
      yield* Fiber.join(end)
      assert.isBelow(performance.now() - since, 5000)
      silent.destroy()
    })
  )
})

describe("a certificate", () => {
  it("is checked with its key", async () => {
    const [own, other] = await Promise.all([Certificates.make("own", 10), Certificates.make("other")])
    const checked = Result.getOrThrow(Tls.check(own))
    assert.approximately(checked.ends, Date.now() / 1000 + 10 * 86_400, 3600)
    assert.isTrue(Result.isFailure(Tls.check({ ...own, key: other.key })))
  })
})
