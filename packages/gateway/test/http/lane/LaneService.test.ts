/** The gateway with its lane: the same answers as without it, on connections that are kept and on those handed over. */
import { connect } from "node:net"
import { brotliDecompressSync } from "node:zlib"

import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

import * as State from "../../support/accounts.ts"
import * as Metered from "../../support/metered.ts"
import * as Service from "../../support/service.ts"
import { KEY } from "../../support/service.ts"

const result = new TextEncoder().encode('"0x1"')
const large = new TextEncoder().encode(JSON.stringify("0123456789abcdef".repeat(400_000)))
const upstream = {
  call: (method: string) => Effect.succeed(method === "eth_getBlockByHash" ? large : result)
}

const post = (body: string, headers = "", path = `/v3/${KEY}`) =>
  `POST ${path} HTTP/1.1\r\nhost: localhost\r\n${headers}content-length: ${body.length}\r\n\r\n${body}`

const call = (id: number) => post(Service.call("eth_chainId", [], id))
const last = (text: string) => text.replace("\r\nhost", "\r\nconnection: close\r\nhost")
const block = Service.call("eth_getBlockByHash", [`0x${"11".repeat(32)}`, true])

/** Conversations on one connection, whose last request closes it. */
const conversations: Readonly<Record<string, string>> = {
  "a call": last(call(1)),
  "calls one behind the other": call(1) + call(2) + last(call(3)),
  "a named network": last(post(Service.call("eth_chainId"), "", `/live/v3/${KEY}`)),
  "an unknown network": last(post(Service.call("eth_chainId"), "", `/other/v3/${KEY}`)),
  "an unknown key": call(1) + last(post(Service.call("eth_chainId"), "", "/v3/nobody")),
  "a wrong secret": last(post(Service.call("eth_chainId"), "authorization: Basic OnNlY3JldA==\r\n")),
  "another content type": call(1) + post("{}", "content-type: text/plain\r\n") + last(call(2)),
  "a coding": call(1) + last(post("{}", "content-encoding: gzip\r\n")),
  "a batch": last(post(`[${Service.call("eth_chainId")},${Service.call("eth_chainId", [], "b")},1]`)),
  "a notification": post('{"jsonrpc":"2.0","method":"eth_chainId"}') + last(call(2)),
  "broken JSON": post('{"jsonrpc"') + last(call(2)),
  "no body": post("") + last(call(2)),
  "a mount below a path like a call's": call(1) + last(post("{}", "", "/console/v3/key")),
  "a health check among calls": `${call(1)}GET /livez HTTP/1.1\r\nhost: a\r\n\r\n${last(call(2))}`,
  "a preflight among calls": `${call(1)}OPTIONS /v3/${KEY} HTTP/1.1\r\nhost: a\r\n\r\n${last(call(2))}`,
  verdicts: call(1) + last(post(Service.call("eth_chainId"), "", `/v3/${KEY}?annotate=1`)),
  "a large answer": call(1) + post(block) + last(call(2)),
  "a body of more than a read":
    call(1) + post(`${Service.call("eth_chainId").slice(0, -1)},"x":"${"y".repeat(2e5)}"}`) + last(call(3)),
  "a body that is too large": call(1) + last(post("x".repeat(300_000))),
  "an id of the caller": last(post(Service.call("eth_chainId"), "x-request-id: mine\r\n"))
}

/** Removes what differs by time or by count from the answers. */
const plain = (text: string) =>
  text.replaceAll(/^Date: .*$/gmu, "Date:").replaceAll(/^(x-request-id: (?!mine)).*$/gmu, "$1")

const mounts = [
  { path: "/console", handle: (_: unknown, response: { end: (text: string) => void }) => response.end("page") }
]

const both = <A>(use: (service: { readonly port: number }) => Effect.Effect<A>) =>
  Effect.forEach([true, false], (lane) =>
    Effect.scoped(Effect.flatMap(Service.start(upstream, { lane, mounts, limits: { bodyBytes: 250_000 } }), use))
  )

describe("with the lane and without it", () => {
  for (const [name, text] of Object.entries(conversations)) {
    it.live(`${name}: the same bytes`, () =>
      Effect.gen(function* () {
        const [laned, without] = yield* both((service) => Effect.map(Service.raw(service, text), plain))
        assert.strictEqual(laned, without)
        assert.include(laned!, "HTTP/1.1 ")
      })
    )
  }

  it.live("a large answer is compressed in pieces, behind a small one and before another", () =>
    Effect.gen(function* () {
      const asked = call(1) + post(block, "accept-encoding: br\r\n") + last(call(2))
      const answers = yield* both((service) => Service.raw(service, asked))
      for (const text of answers) {
        const [first, coded, third] = text.split(/(?=HTTP\/1\.1 200 OK\r\n)/u)
        assert.include(first!, '"id":1,"result":"0x1"')
        assert.include(third!, '"id":2,"result":"0x1"')
        const body = Buffer.from(chunks(coded!.slice(coded!.indexOf("\r\n\r\n") + 4)), "latin1")
        assert.include(brotliDecompressSync(body).toString(), '0123456789abcdef"')
      }
    })
  )
})

const chunks = (text: string): string => {
  const size = Number.parseInt(text, 16)
  const start = text.indexOf("\r\n") + 2
  return size === 0 ? "" : text.slice(start, start + size) + chunks(text.slice(start + size + 2))
}

/** A connection that is kept, with one call at a time. */
const kept = (service: { readonly port: number }) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const socket = connect(service.port, "127.0.0.1")
      let text = ""
      let hear: () => void = () => undefined
      socket.on("data", (bytes) => {
        text += String(bytes)
        hear()
      })
      /** Sends a call, and returns the status of its answer. */
      const ask = (request = call(1)) =>
        Effect.promise(async () => {
          text = ""
          socket.write(request)
          while (!/\r\n\r\n./su.test(text)) await new Promise<void>((resolve) => (hear = resolve))
          return Number(text.slice(9, 12))
        })
      return { socket, ask }
    }),
    ({ socket }) => Effect.sync(() => socket.destroy())
  )

describe("a connection that is kept", () => {
  it.live("notices at its next call that its key was revoked", () =>
    Effect.gen(function* () {
      const service = yield* Metered.start()
      const { ask } = yield* kept(service)
      assert.deepStrictEqual([yield* ask(), yield* ask()], [200, 200])
      yield* service.accounts.revokeKey(service.holder.key.id)
      assert.strictEqual(yield* ask(), 401)
    }).pipe(Effect.scoped)
  )

  it.live("notices at its next call that its project was suspended, and that it is not any more", () =>
    Effect.gen(function* () {
      const service = yield* Metered.start()
      const { ask } = yield* kept(service)
      const { id } = service.holder.project
      assert.strictEqual(yield* ask(), 200)
      yield* service.accounts.updateProject(id, { suspended: true })
      assert.strictEqual(yield* ask(), 403)
      yield* service.accounts.updateProject(id, { suspended: false })
      assert.strictEqual(yield* ask(), 200)
    }).pipe(Effect.scoped)
  )

  it.live("goes on when the lane is switched off and on", () =>
    Effect.gen(function* () {
      const networks = [Service.network(upstream)]
      const service = yield* Service.start(networks, {}, State.layer(Service.projects))
      const { ask } = yield* kept(service)
      const statuses: Array<number> = []
      for (const lane of [true, false, true]) {
        yield* service.reload({ networks, lane })
        statuses.push(yield* ask(), yield* ask())
      }
      assert.deepStrictEqual(
        statuses,
        Array.from({ length: 6 }, () => 200)
      )
    }).pipe(Effect.scoped)
  )

  it.live("is refused what its other heads may not do", () =>
    Effect.gen(function* () {
      const service = yield* Service.start(upstream)
      const { ask } = yield* kept(service)
      const stranger = call(1).replace(KEY, "0".repeat(32))
      assert.deepStrictEqual([yield* ask(), yield* ask(stranger), yield* ask()], [200, 401, 200])
    }).pipe(Effect.scoped)
  )
})
