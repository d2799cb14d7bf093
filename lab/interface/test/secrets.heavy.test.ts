/**
 * The canary: secrets are planted in every possible place, servers repeat them in every form, and no error, log, span,
 * metric, answer or output of any user of `@plumbline/redaction` shows one.
 */
import { execFile } from "node:child_process"
import { writeFile } from "node:fs/promises"
import * as path from "node:path"

import { NodeHttpClient } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { EthMethods } from "@plumbline/eth-methods"
import { Gateway, HttpUpstream, WebSocketUpstream } from "@plumbline/gateway"
import * as State from "@plumbline/gateway/support/accounts"
import { Cid, IpfsClient } from "@plumbline/ipfs-client"
import { HttpClientTransport, HttpTransport, Stack, UndiciTransport, WebSocketTransport } from "@plumbline/jsonrpc-core"
import { Context, Effect, Layer, Logger, Redacted, type Scope, Stream } from "effect"
import { FetchHttpClient } from "effect/http"
import { Agent } from "undici"
import { WebSocket } from "ws"

import * as Ask from "../src/ask.ts"
import { MAIN } from "../src/program.ts"
import * as Service from "../src/service.ts"
import * as Canary from "./support/canary.ts"

const CALL = { method: "eth_chainId", params: [] }
const CID = "QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o"

const headers = { "x-api-key": Redacted.make(Canary.header) }

const agent = Effect.acquireRelease(
  Effect.sync(() => new Agent()),
  (agent) => Effect.promise(() => agent.destroy())
)

const viaClient = (url: string) =>
  Effect.flatMap(Layer.build(NodeHttpClient.layerUndici), (context) =>
    Effect.provideContext(HttpClientTransport.make({ url, headers }), context)
  )

type Calling = Effect.Effect<unknown, unknown, Scope.Scope>

/** Clients, each as a program that asks a server. The server's text may appear in content, but not in an error. */
const clients: Readonly<Record<string, (base: string) => Calling>> = {
  HttpTransport: (base) =>
    Effect.flatMap(HttpTransport.make({ url: Redacted.make(Canary.secretUrl(base)), headers }), (transport) =>
      transport.call(CALL)
    ),
  UndiciTransport: (base) =>
    Effect.flatMap(agent, (dispatcher) =>
      Effect.flatMap(UndiciTransport.make({ url: Canary.secretUrl(base), headers, dispatcher }), (transport) =>
        transport.call(CALL)
      )
    ),
  HttpClientTransport: (base) => Effect.flatMap(viaClient(Canary.secretUrl(base)), (transport) => transport.call(CALL)),
  WebSocketTransport: (base) =>
    Effect.flatMap(
      WebSocketTransport.make({
        url: Canary.secretUrl(base.replace("http:", "ws:")),
        headers,
        webSocket: WebSocket,
        timeout: "2 seconds",
        backoff: { initial: "1 millis", max: "1 millis" }
      }),
      (transport) => transport.call(CALL)
    ),
  Stack: (base) =>
    Effect.flatMap(HttpTransport.make({ url: Canary.secretUrl(base), headers }), (transport) =>
      Stack.make([{ name: "node", transport, circuitBreaker: { failures: 1 } }], { retry: false }).call(CALL)
    ),
  "IpfsClient, a value": (base) => ipfs(base, (client) => client.version()),
  "IpfsClient, a stream": (base) => ipfs(base, (client) => Stream.runDrain(client.pinLs())),
  "IpfsClient, bytes": (base) => ipfs(base, (client) => Stream.runDrain(client.cat(Cid.fromTextUnsafe(CID))))
}

const ipfs = (base: string, use: (client: IpfsClient.Client) => Effect.Effect<unknown, unknown>): Calling =>
  Effect.flatMap(Layer.build(FetchHttpClient.layer), (context) =>
    IpfsClient.make({ ...Canary.ipfs(base), retries: 0, timeout: "2 seconds" }).pipe(
      Effect.provideContext(context),
      Effect.flatMap(use)
    )
  )

const silent = (shown: ReadonlyArray<string>, marks?: ReadonlyArray<string>): void => {
  assert.isNotEmpty(shown)
  for (const text of shown) assert.isUndefined(Canary.reads(text, marks), text.slice(0, 2000))
}

describe("these tests can fail:", () => {
  for (const [name, form] of Object.entries(Canary.forms)) {
    it.live(`a secret can be read in an answer that has it ${name}`, () =>
      Effect.gen(function* () {
        const base = yield* Canary.server(Canary.answers["a failing status"]!, form)
        const { text } = yield* Effect.promise(() => Ask.http(base))
        for (const said of text.split(" ; ").slice(0, 4)) assert.isDefined(Canary.reads(said), said)
      }).pipe(Effect.scoped)
    )
  }
})

for (const [name, call] of Object.entries(clients)) {
  describe(`${name} shows no secret`, () => {
    for (const [title, answer] of Object.entries(Canary.answers)) {
      it.live(`after ${title}`, () =>
        Effect.gen(function* () {
          for (const form of Object.values(Canary.forms)) {
            const base = yield* Canary.server(answer, form)
            silent(yield* Canary.shownBy(call(base)))
          }
        }).pipe(Effect.scoped)
      )
    }
  })
}

const CALLER = { id: "p", key: "00112233445566778899aabbccddeeff", secret: "ffeeddccbbaa99887766554433221100" }

describe("a gateway shows no secret of its nodes in its logs and spans, and none of its callers anywhere", () => {
  for (const [title, answer] of Object.entries(Canary.answers)) {
    it.live(`after ${title}`, () =>
      Effect.gen(function* () {
        const { logger, shown, tracer } = Canary.witness()
        const networks = yield* Effect.forEach(Object.entries(Canary.forms), ([, form], at) =>
          Effect.gen(function* () {
            const base = yield* Canary.server(answer, form)
            const url = Canary.secretUrl(base)
            const web = { url: url.replace("http:", "ws:"), headers, timeout: "2 seconds" } as const
            const upstreams = [
              yield* HttpUpstream.make({ url, headers, timeout: "2 seconds" }),
              yield* WebSocketUpstream.make(web),
              { call: () => Effect.die(new Error(`POST ${url} failed, ${encodeURIComponent(url)} too`)) }
            ]
            return upstreams.map((upstream, kind) => {
              const network = `n${at}-${kind}`
              return { name: network, hosts: [`${network}.localhost`], chainId: 1, methods: EthMethods.group, upstream }
            })
          })
        )
        const gateway = yield* Layer.build(
          Gateway.layer({ networks: networks.flat(), accessLog: true }).pipe(Layer.provide(State.layer([CALLER])))
        ).pipe(Effect.withTracer(tracer), Effect.provideService(Logger.CurrentLoggers, new Set([logger])))
        const { port } = Context.get(gateway, Gateway.Gateway)
        const asked: Array<string> = []
        const authorization = `Basic ${btoa(`${CALLER.key}:${CALLER.secret}`)}`
        for (const { name } of networks.flat()) {
          const url = `http://127.0.0.1:${port}/v3/${CALLER.key}`
          const more = { "content-type": "application/json", host: `${name}.localhost`, authorization }
          const body = Ask.call("eth_chainId")
          const { status, text } = yield* Effect.promise(() => Ask.http(url, { headers: more, body }))
          assert.isNumber(status)
          asked.push(text)
        }
        for (const target of [`/v2/${CALLER.key}?${CALLER.secret}`, `/${CALLER.key}`, `/V3/${CALLER.key}`]) {
          const { text } = yield* Effect.promise(() => Ask.http(`http://127.0.0.1:${port}${target}`, {}))
          asked.push(text)
        }
        silent(shown(), [Canary.MARK, CALLER.key, CALLER.secret])
        silent(asked, [Canary.MARK, CALLER.key, CALLER.secret])
        assert.include(shown().join(), "<redacted>")
      }).pipe(Effect.scoped)
    )
  }
})

/** Returns the output of the command. */
const outputOf = (args: ReadonlyArray<string>): Effect.Effect<string> =>
  Effect.callback<string>((resume) => {
    const env = { PATH: process.env["PATH"], HOME: "/nonexistent" }
    const child = execFile(process.execPath, [MAIN, ...args], { env }, (_, stdout, stderr) =>
      resume(Effect.succeed(stdout + stderr))
    )
    return Effect.sync(() => child.kill())
  })

describe("the command shows no secret", () => {
  /** Returns all forms of a text in one sentence. */
  const every = (text: string): string =>
    Object.values(Canary.forms)
      .map((form) => form(text))
      .join(" , ")

  for (const title of ["a failing status", "an error object", "a redirect"]) {
    it.live(`of a node after ${title}`, () =>
      Effect.gen(function* () {
        const base = yield* Canary.server(Canary.answers[title]!, every)
        const url = Canary.secretUrl(base)
        silent(yield* Effect.forEach([["--json"], []], (more) => outputOf(["block", "latest", "--url", url, ...more])))
      }).pipe(Effect.scoped)
    )
  }

  it.live("of an IPFS service", () =>
    Effect.gen(function* () {
      const base = yield* Canary.server(Canary.answers["an error of IPFS"]!, every)
      const url = Canary.secretUrl(base)
      silent(yield* Effect.forEach([["--json"], []], (more) => outputOf(["ipfs", "ls", CID, "--url", url, ...more])))
    }).pipe(Effect.scoped)
  )

  it.live("of its arguments and its configuration", () =>
    Effect.gen(function* () {
      const folder = yield* Service.temporaryFolder
      const file = path.join(folder, "plumbline.json")
      const label = `${"0".repeat(12)}${Canary.MARK}`
      const url = Canary.secretUrl("http://127.0.0.1:1").replace("127.0.0.1:1", `${label}.node.example`)
      const upstreams = [{ url, headers: { "x-api-key": Canary.header } }]
      const networks = { live: { hosts: ["live.localhost"], chainId: 1, upstreams } }
      yield* Effect.promise(() => writeFile(file, JSON.stringify({ networks })))
      const shown = yield* outputOf(["config", "check", file])
      assert.include(shown, "https://<redacted>.node.example".replace("https", "http"))
      silent([shown, yield* outputOf(["block", url]), yield* outputOf(["block", "latest", "--ulr", url])])
    }).pipe(Effect.scoped)
  )
})
