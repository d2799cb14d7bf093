/** Tests the HTTP side: the forms of answers, the bounds of requests, admission, limits and usage. */
import { generateKeyPairSync, sign } from "node:crypto"

import { assert, it } from "@effect/vitest"
import { BeaconApi, Codec, MadeChain } from "@plumbline/beacon-light-client"
import { Allowlist } from "@plumbline/gateway"
import { type BeaconArchive, BeaconMetrics, BeaconProduct } from "@plumbline/gateway-beacon"
import * as State from "@plumbline/gateway/support/accounts"
import * as Databases from "@plumbline/gateway/support/databases"
import * as Metered from "@plumbline/gateway/support/metered"
import * as Service from "@plumbline/gateway/support/service"
import { Clock, Effect, Exit, Fiber, Result, Scope } from "effect"
import { TestClock } from "effect/testing"

import * as Archive from "./support/archive.ts"

const { START, honest, network, reached } = Archive
const world = Archive.world(network)
const checkpoint = world.chain.root(START)
const SLOT = 64n * 4n + 40n
const root = world.chain.root(world.finalized(SLOT - 1n))

const JSON_TYPE = { accept: "application/json" }
const SSZ_TYPE = { accept: "application/octet-stream;q=1, application/json;q=0.9" }
const LIGHT = "/eth/v1/beacon/light_client"

/** Opens an archive of four periods over an honest node. */
const filled = Effect.gen(function* () {
  yield* Archive.setSlot(network, SLOT)
  const database = yield* Databases.kinds[0]!.fresh
  const archive = yield* Archive.open({ database, nodes: [honest(world)], options: { checkpoint } })
  yield* reached(archive, root)
  yield* Archive.until(Effect.map(archive.updates(1n, 9), (all) => all.length === 4))
  return archive
})

const get = (service: { readonly port: number }, path: string, options: Omit<Service.Ask, "path"> = {}) =>
  Service.ask(service, { method: "GET", path: `/live/v3/${Service.KEY}${path}`, ...options })

it.effect("answers in JSON and in SSZ what the chain's own node says", () =>
  Effect.gen(function* () {
    const archive = yield* filled
    const { url } = yield* Archive.serve(archive)
    const node = honest(world)
    for (const accept of [JSON_TYPE.accept, SSZ_TYPE.accept]) {
      const served = yield* Archive.nodeAt(`${url}/live/v3/${Service.KEY}`, accept)
      assert.deepStrictEqual(yield* served.bootstrap(checkpoint), yield* node.bootstrap(checkpoint))
      assert.deepStrictEqual(yield* served.bootstrap(root), yield* node.bootstrap(root))
      assert.deepStrictEqual(yield* served.finalityUpdate, yield* node.finalityUpdate)
      assert.deepStrictEqual(yield* served.optimisticUpdate, yield* node.optimisticUpdate)
      assert.deepStrictEqual(yield* served.updates(1n, 3), yield* node.updates(1n, 3))
      assert.strictEqual((yield* served.updates(3n, 128)).length, 2)
      assert.strictEqual((yield* served.updates(0n, 128)).length, 0)
      assert.strictEqual(yield* served.genesis!, network.genesisValidatorsRoot)
      assert.deepStrictEqual(
        yield* served.schedule!,
        network.forks.map(({ epoch, name }) => ({ name, epoch }))
      )
      yield* served.alive!
    }
  })
)

it.effect("names the fork in the header, and in JSON too", () =>
  Effect.gen(function* () {
    const service = yield* Archive.serve(yield* filled)
    for (const accept of [JSON_TYPE, SSZ_TYPE, { accept: "*/*" }, {}]) {
      const { body, headers, status } = yield* get(service, `${LIGHT}/bootstrap/${root}`, { headers: accept })
      assert.strictEqual(status, 200)
      assert.strictEqual(headers["eth-consensus-version"], "fulu")
      assert.strictEqual(headers["access-control-expose-headers"], "eth-consensus-version")
      assert.strictEqual(headers["access-control-allow-origin"], "*")
      const isSsz = accept === SSZ_TYPE
      assert.strictEqual(headers["content-type"], isSsz ? BeaconApi.SSZ_TYPE : BeaconApi.JSON_TYPE)
      if (!isSsz) assert.strictEqual(JSON.parse(body).version, "fulu")
    }
    const head = yield* get(service, `${LIGHT}/bootstrap/${root}`, { method: "HEAD", headers: SSZ_TYPE })
    const length = Codec.bootstrap.encode(world.chain.bootstrap(world.finalized(SLOT - 1n)), {
      fork: "fulu",
      syncCommitteeSize: 32
    }).length
    assert.deepStrictEqual([head.status, head.headers["content-length"], head.body], [200, String(length), ""])
    const preflight = yield* get(service, `${LIGHT}/finality_update`, { method: "OPTIONS" })
    assert.deepStrictEqual(
      [preflight.status, preflight.headers["access-control-allow-methods"]],
      [204, "GET, HEAD, OPTIONS"]
    )
  })
)

it.effect("refuses in the order of other calls, with the API's own words for its errors", () =>
  Effect.gen(function* () {
    const service = yield* Archive.serve(yield* filled)
    const unknown = "f".repeat(32)
    const at = (key: string) => `/live/v3/${key}${LIGHT}/finality_update`
    const without = MadeChain.make(network).root(8n)
    const cases: ReadonlyArray<readonly [status: number, text: string, ask: Service.Ask]> = [
      [401, "invalid project id", { path: at(unknown) }],
      [401, "invalid project id or project secret", { path: at(Service.GUARDED_KEY) }],
      [404, "not found", { path: `/other/v3/${Service.KEY}${LIGHT}/finality_update` }],
      [404, "not found", { path: `/live/v3/${Service.KEY}/eth/v1/beacon/blocks/head` }],
      [404, "not found", { path: `/live/v3/${Service.KEY}/eth/v2/node/version` }],
      [404, "no bootstrap of this block is kept", { path: `/live/v3/${Service.KEY}${LIGHT}/bootstrap/${without}` }],
      [400, "the block root must be 0x", { path: `/live/v3/${Service.KEY}${LIGHT}/bootstrap/0x12` }],
      [400, "must be numbers", { path: `/live/v3/${Service.KEY}${LIGHT}/updates` }],
      [400, "must be numbers", { path: `/live/v3/${Service.KEY}${LIGHT}/updates?start_period=-1&count=1` }],
      [400, "must be numbers", { path: `/live/v3/${Service.KEY}${LIGHT}/updates?start_period=1&count=1e9` }],
      [405, "method not allowed", { path: at(Service.KEY), method: "POST", body: "x".repeat(100_000) }],
      [405, "method not allowed", { path: at(Service.KEY), method: "DELETE" }]
    ]
    for (const [status, text, ask] of cases) {
      const answer = yield* Service.ask(service, { method: "GET", ...ask })
      assert.strictEqual(answer.status, status, ask.path)
      assert.include(answer.body, text, ask.path)
      if (text.startsWith("must") || text.startsWith("no boot"))
        assert.strictEqual(JSON.parse(answer.body).code, status)
    }
    const secret = { authorization: `Basic ${btoa(`:${Service.SECRET}`)}` }
    const guarded = yield* Service.ask(service, { method: "GET", path: at(Service.GUARDED_KEY), headers: secret })
    assert.strictEqual(guarded.status, 200)
    // calls to the chain of the same name go on as before
    const call = yield* Service.ask(service, { path: `/live/v3/${Service.KEY}`, body: Service.call("eth_chainId") })
    assert.strictEqual(JSON.parse(call.body).result, "0x1")
  })
)

it.effect("finds the chain by the host of its network", () =>
  Effect.gen(function* () {
    const service = yield* Archive.serve(yield* filled)
    const path = `/v3/${Service.KEY}${LIGHT}/optimistic_update`
    const { status } = yield* Service.ask(service, { method: "GET", path, headers: { host: "live.localhost" } })
    assert.strictEqual(status, 200)
  })
)

it.effect("says that it is behind while no light client follows, and serves on", () =>
  Effect.gen(function* () {
    yield* Archive.setSlot(network, SLOT)
    const database = yield* Databases.kinds[0]!.fresh
    let isDown = true
    const node = Archive.mortal(honest(world), () => isDown)
    const archive = yield* Archive.open({ database, nodes: [node], options: { checkpoint } })
    const service = yield* Archive.serve(archive, { families: BeaconMetrics.families([{ name: "live", archive }]) })
    const follows = Effect.map(service.metrics, (text) => /^plumbline_beacon_following\{.*$/mu.exec(text)?.[0])
    assert.strictEqual((yield* get(service, "/eth/v1/node/health")).status, 206)
    const health = Effect.map(Service.ask(service, { path: "/health", method: "GET" }), ({ body }) => JSON.parse(body))
    assert.deepStrictEqual((yield* health).beacon, [{ name: "live", state: "behind" }])
    assert.include((yield* health).degraded, "beacon live: no beacon node can be followed, only kept data is served")
    assert.strictEqual(yield* follows, 'plumbline_beacon_following{network="live"} 0')
    assert.strictEqual((yield* get(service, `${LIGHT}/finality_update`)).status, 404)
    assert.strictEqual((yield* get(service, `${LIGHT}/updates?start_period=1&count=9`)).body, "[]")
    isDown = false
    yield* Archive.setSlot(network, SLOT + 6n)
    yield* Archive.until(Effect.map(archive.status, ({ follows }) => follows))
    assert.strictEqual((yield* get(service, "/eth/v1/node/health")).status, 200)
    assert.deepInclude(yield* health, { status: "ok", beacon: [{ name: "live", state: "following" }] })
  })
)

it.effect("limits, charges and records each call under the chain's name", () =>
  Effect.gen(function* () {
    const archive = yield* filled
    const service = yield* Metered.start({
      gateway: { beacon: BeaconProduct.make([{ name: "live", archive }]) },
      project: { limits: { creditsPerSecond: 1100, burst: 1100 } }
    })
    const ask = (path: string, options?: Omit<Service.Ask, "path">) => get(service, path, options)
    const updates = `${LIGHT}/updates?start_period=1&count=2`
    let bytes = 0
    for (let at = 0; at < 3; at++) {
      const { headers, status } = yield* ask(updates)
      assert.strictEqual(status, 200)
      bytes += Number(headers["content-length"])
    }
    const over = yield* ask(updates)
    assert.strictEqual(over.status, 429)
    assert.strictEqual(JSON.parse(over.body).message, "project ID request rate exceeded")
    assert.isDefined(over.headers["retry-after"])
    assert.strictEqual((yield* ask(`${LIGHT}/optimistic_update`)).status, 200)
    assert.strictEqual((yield* ask(`${LIGHT}/bootstrap/0x12`)).status, 400)
    assert.strictEqual((yield* ask(`${LIGHT}/finality_update`, { method: "PUT" })).status, 405)
    assert.strictEqual((yield* ask("/eth/v1/beacon/blocks/head")).status, 404)
    const rows = (yield* service.rows).toSorted((a, b) => (a.method + a.status < b.method + b.status ? -1 : 1))
    assert.deepStrictEqual([...new Set(rows.map(({ network, product }) => `${product} ${network}`))], ["rpc live"])
    assert.deepStrictEqual(Metered.summary(rows), [
      "light_client/finality_update 405 1 5",
      "light_client/optimistic_update 200 1 20",
      "light_client/updates 200 3 900",
      "light_client/updates 429 1 0",
      "unknown 400 1 5",
      "unknown 404 1 5"
    ])
    assert.strictEqual(rows[2]!.bytesOut, bytes)
  })
)

it.effect("keeps to the project's allowlists of networks and methods", () =>
  Effect.gen(function* () {
    const archive = yield* filled
    for (const [allowlist, text] of [
      [{ networks: ["other"] }, "allowlist of networks lacks this network"],
      [{ methods: ["eth_call"] }, "allowlist of methods lacks light_client/finality_update"]
    ] as const) {
      const state = State.layer([
        { id: "p1", key: Service.KEY, secret: Service.SECRET, allowlist: { ...Allowlist.none, ...allowlist } }
      ])
      const service = yield* Archive.serve(archive, {}, state)
      const { body, status } = yield* get(service, `${LIGHT}/finality_update`)
      assert.strictEqual(status, 403)
      assert.include(body, text)
    }
  })
)

it.effect("counts the calls, failures and lies of each node as metrics, without its name", () =>
  Effect.gen(function* () {
    yield* Archive.setSlot(network, SLOT)
    const database = yield* Databases.kinds[0]!.fresh
    const forged = honest(Archive.world(network, {}, { seed: "another" }), "https://liar.example")
    const nodes = [forged, Archive.mortal(honest(world, "https://dead.example"), () => true), honest(world)]
    const archive = yield* Archive.open({ database, nodes, options: { checkpoint } })
    yield* reached(archive, root)
    const families = BeaconMetrics.families([{ name: "live", archive }])
    const service = yield* Archive.serve(archive, { families })
    const text = yield* service.metrics
    assert.include(text, 'plumbline_beacon_following{network="live"} 1')
    const counts = new Map((yield* families).map(({ name, samples }) => [name, samples]))
    const isCounted = (family: string) =>
      counts.get(`plumbline_beacon_${family}`)!.map(({ labels, value }) => [labels["node"], Number(value) > 0])
    const expected = (...counted: ReadonlyArray<boolean>) => counted.map((is, at) => [`beacon-${at + 1}`, is])
    assert.deepStrictEqual(isCounted("calls_total"), expected(true, true, true))
    assert.deepStrictEqual(isCounted("lies_total"), expected(true, false, false))
    assert.deepStrictEqual(isCounted("failed_calls_total")[1], ["beacon-2", true])
    assert.notInclude(text, "example")
  })
)

it.effect("refuses names that a path cannot have, and names that are used twice", () =>
  Effect.gen(function* () {
    const archive = yield* filled
    for (const names of [["a/b"], [""], ["live", "live"]]) {
      const { resolved } = BeaconProduct.make(names.map((name) => ({ name, archive })))
      assert.strictEqual(Result.isFailure(resolved) && resolved.failure.reason._tag, "BadOption")
    }
  })
)

it.effect("admits the users of a project that requires their tokens", () =>
  Effect.gen(function* () {
    const archive = yield* filled
    const service = yield* Metered.start({ gateway: { beacon: BeaconProduct.make([{ name: "live", archive }]) } })
    const { privateKey, publicKey } = generateKeyPairSync("ed25519")
    const keys = [{ ...publicKey.export({ format: "jwk" }), kid: "own" }]
    yield* service.accounts.setTokens("p1", { keys: { keys }, required: true })
    yield* TestClock.adjust("1 second")
    const now = (yield* Clock.currentTimeMillis) / 1000
    const token = (claims: object) => {
      const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url")
      const text = `${encode({ alg: "EdDSA", kid: "own" })}.${encode({ aud: "p1", exp: Math.floor(now) + 60, ...claims })}`
      return `Bearer ${text}.${sign(undefined, Buffer.from(text), privateKey).toString("base64url")}`
    }
    const ask = (authorization?: string) =>
      get(service, `${LIGHT}/finality_update`, { headers: authorization === undefined ? {} : { authorization } })
    assert.strictEqual((yield* ask()).status, 401)
    assert.strictEqual((yield* ask(token({ aud: "p2" }))).status, 401)
    assert.strictEqual((yield* ask(token({}))).status, 200)
    // the user may do less than the project
    assert.strictEqual((yield* ask(token({ methods: ["eth_call"] }))).status, 403)
  })
)

/** Opens a stream of events. `read` gives the next piece of text, and undefined at the end. */
const stream = (service: { readonly port: number }, query: string) =>
  Effect.promise(async () => {
    const url = `http://127.0.0.1:${service.port}/live/v3/${Service.KEY}/eth/v1/events${query}`
    const response = await fetch(url)
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
    const read = Effect.promise(async () => {
      const { done, value } = await reader.read()
      return done ? undefined : value
    })
    return { response, read, close: Effect.promise(() => reader.cancel()) }
  })

it.effect("streams the newest updates of heads in the form of the calls, to those who asked for their topic", () =>
  Effect.gen(function* () {
    const archive = yield* filled
    const listeners = new Set<Parameters<BeaconArchive.BeaconArchive["onHead"]>[0]>()
    const onHead: BeaconArchive.BeaconArchive["onHead"] = (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    }
    const service = yield* Archive.serve({ ...archive, onHead })
    const all = yield* stream(service, "?topics=light_client_finality_update&topics=light_client_optimistic_update")
    assert.strictEqual(all.response.headers.get("content-type"), "text/event-stream")
    assert.strictEqual(yield* all.read, ":\n\n")
    const one = yield* stream(service, "?topics=light_client_finality_update")
    assert.strictEqual(yield* one.read, ":\n\n")
    const finality = (yield* archive.finalityUpdate)!
    const optimistic = (yield* archive.optimisticUpdate)!
    for (const listener of listeners) {
      listener("optimistic", optimistic)
      listener("finality", finality)
      // damaged bytes are no event
      listener("finality", { ...finality, bytes: finality.bytes.subarray(1) })
    }
    /** Reads whole events until there are as many. */
    const events = Effect.fnUntraced(function* ({ read }: typeof all, count: number) {
      let text = ""
      while (text.split("\n\n").length <= count) text += yield* read
      return text
    })
    const expected = Effect.fnUntraced(function* (kind: "finality" | "optimistic") {
      const { body } = yield* get(service, `${LIGHT}/${kind}_update`, { headers: JSON_TYPE })
      return `event: light_client_${kind}_update\ndata: ${body}\n\n`
    })
    assert.strictEqual(yield* events(all, 2), `${yield* expected("optimistic")}${yield* expected("finality")}`)
    assert.strictEqual(yield* events(one, 1), yield* expected("finality"))
    yield* all.close
    yield* one.close
    yield* Archive.until(Effect.sync(() => listeners.size === 0))
  })
)

it.effect("refuses other topics and too many streams, and ends a stream after ten minutes", () =>
  Effect.gen(function* () {
    const archive = yield* filled
    const service = yield* Archive.serve(archive)
    for (const query of ["", "?topics=", "?topics=head", "?topics=light_client_finality_update,head"]) {
      const { body, status } = yield* get(service, `/eth/v1/events${query}`)
      assert.deepStrictEqual([status, JSON.parse(body).code], [400, 400])
    }
    const query = "?topics=light_client_finality_update"
    const streams = yield* Effect.forEach(Array.from({ length: 32 }), () => stream(service, query))
    for (const { read } of streams) assert.strictEqual(yield* read, ":\n\n")
    assert.strictEqual((yield* get(service, `/eth/v1/events${query}`)).status, 503)
    yield* streams[0]!.close
    const again = yield* Effect.repeat(stream(service, query), { until: ({ response }) => response.status === 200 })
    assert.strictEqual(yield* again.read, ":\n\n")
    yield* TestClock.adjust("10 minutes")
    let last: string | undefined = ""
    while (last !== undefined) last = yield* streams[1]!.read
    for (const { close } of [...streams.slice(2), again]) yield* close
  })
)

it.live("ends its streams when the gateway drains", () =>
  Effect.gen(function* () {
    const head = Effect.succeed(undefined)
    const archive: BeaconArchive.BeaconArchive = {
      network,
      bootstrap: () => head,
      updates: () => Effect.succeed([]),
      finalityUpdate: head,
      optimisticUpdate: head,
      onHead: () => () => undefined,
      following: Effect.succeed({ follows: true, stopped: false, problem: undefined }),
      status: Effect.die("not asked")
    }
    const scope = yield* Scope.make()
    const service = yield* Scope.provide(Archive.serve(archive), scope)
    const { read } = yield* stream(service, "?topics=light_client_finality_update")
    assert.strictEqual(yield* read, ":\n\n")
    const closed = yield* Effect.forkChild(Scope.close(scope, Exit.void))
    assert.isUndefined(yield* read)
    yield* Fiber.join(closed)
  })
)
