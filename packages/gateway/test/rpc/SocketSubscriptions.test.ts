/** Subscriptions through the service, over real sockets. */
import { assert, describe, it } from "@effect/vitest"
import { EthMethods } from "@plumbline/eth-methods"
import {
  Accounts,
  EthFeeds,
  type Feeds,
  Gateway,
  type GatewayOptions,
  type Metering,
  UsageFigures
} from "@plumbline/gateway"
import { Clock, Context, Deferred, Effect, Exit, Layer, Logger, Scope } from "effect"
import { createPublicClient, webSocket } from "viem"

import * as State from "../support/accounts.ts"
import { FakeChain, headerOf } from "../support/fakeChain.ts"
import { meteringDown } from "../support/metered.ts"
import * as Service from "../support/service.ts"
import { KEY, SECRET } from "../support/service.ts"

const A = `0x${"aa".repeat(20)}` as const
const B = `0x${"bb".repeat(20)}` as const

interface Options {
  readonly project?: Partial<State.Given>
  readonly gateway?: Omit<GatewayOptions.GatewayOptions, "networks">
  readonly metering?: Layer.Layer<Metering.Metering>
  readonly canPush?: boolean
  /** Replaces the chain's feeds. */
  readonly feeds?: (feeds: Feeds.Feeds) => Feeds.Feeds
}

const quiet = Effect.provideService(Logger.CurrentLoggers, new Set<Logger.Logger<unknown, unknown>>())

/** Starts a service over a chain that the test controls. */
const start = Effect.fnUntraced(function* (options: Options = {}) {
  const chain = new FakeChain()
  chain.canPush = options.canPush ?? true
  const upstream = chain.upstream
  const feedsScope = yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))
  const ofChain = yield* quiet(Scope.provide(EthFeeds.make(upstream, { interval: "5 millis" }), feedsScope))
  const feeds = options.feeds?.(ofChain) ?? ofChain
  const state = State.layer([{ id: "p1", key: KEY, secret: SECRET, ...options.project }])
  const whole = options.metering === undefined ? state : Layer.merge(state, options.metering)
  const network = { name: "live", hosts: [], chainId: 1, methods: EthMethods.group, upstream, feeds }
  const context = yield* Layer.build(
    Gateway.layer({ networks: [network], ...options.gateway }).pipe(Layer.provideMerge(whole))
  ).pipe(quiet)
  const figures = Context.get(context, UsageFigures.UsageFigures)
  const rows = Effect.orDie(
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      figures.by({ ...UsageFigures.last("24h", now), by: ["method", "status"] })
    )
  )
  return {
    ...Context.get(context, Gateway.Gateway),
    accounts: Context.get(context, Accounts.Accounts),
    chain,
    closeFeeds: Scope.close(feedsScope, Exit.void),
    /** Waits until the events have the given number of bytes. Returns the calls, credits and bytes of the events. */
    events: (bytes: number) =>
      Effect.gen(function* () {
        while (true) {
          const row = (yield* rows).rows.find(({ method }) => method === "eth_subscription")
          if (row !== undefined && Number(row.bytesOut) >= bytes) {
            return { calls: Number(row.calls), credits: Number(row.credits), bytesOut: Number(row.bytesOut) }
          }
          yield* Effect.sleep("20 millis")
        }
      })
  }
})

const next = (client: Service.Client) =>
  Effect.map(
    Effect.promise(() => client.next()),
    (text) => JSON.parse(text)
  )

/** Calls a method over the socket, and returns the answer. */
const ask = (client: Service.Client, method: string, params: ReadonlyArray<unknown> = []) => {
  client.socket.send(Service.call(method, params, "c"))
  return next(client)
}

const subscribe = (client: Service.Client, ...params: ReadonlyArray<unknown>) =>
  Effect.map(ask(client, "eth_subscribe", params), (answer) => {
    assert.match(answer.result, /^0x[1-9a-f][0-9a-f]*$/u)
    return String(answer.result)
  })

const notification = (subscription: string, result: unknown) => ({
  jsonrpc: "2.0",
  method: "eth_subscription",
  params: { subscription, result }
})

describe("a subscription", () => {
  it.live("tells of heads behind the answer that names it, and of none when it has ended", () =>
    Effect.gen(function* () {
      const { chain, ...service } = yield* start()
      const client = yield* Service.connected(service)
      const id = yield* subscribe(client, "newHeads")
      const blocks = [chain.mine(), chain.mine()]
      for (const block of blocks) assert.deepStrictEqual(yield* next(client), notification(id, headerOf(block)))
      assert.strictEqual((yield* ask(client, "eth_unsubscribe", [id])).result, true)
      chain.mine()
      assert.deepStrictEqual((yield* ask(client, "eth_unsubscribe", [id])).error, {
        code: -32_000,
        message: "subscription not found"
      })
    }).pipe(Effect.scoped)
  )

  it.live("tells behind that answer also what happened before it was sent", () =>
    Effect.gen(function* () {
      const early = { json: new TextEncoder().encode('"early"'), block: undefined }
      const service = yield* start({
        feeds: (feeds) => ({
          ...feeds,
          open: (_, listener) =>
            Effect.sync(() => {
              listener.begun(() => undefined)
              listener.event(early)
            })
        })
      })
      const client = yield* Service.connected(service)
      client.socket.send(`[${Service.call("eth_chainId")},${Service.call("eth_subscribe", ["newHeads"], 2)}]`)
      const [, answer] = yield* next(client)
      assert.deepStrictEqual(yield* next(client), notification(answer.result, "early"))
    }).pipe(Effect.scoped)
  )

  it.live("has an id of its own per client, and all share one at the node", () =>
    Effect.gen(function* () {
      const { chain, ...service } = yield* start()
      const clients = yield* Effect.all(Array.from({ length: 20 }, () => Service.connected(service)))
      const ids = yield* Effect.all(clients.map((client) => subscribe(client, "newHeads")))
      assert.strictEqual(new Set(ids).size, clients.length)
      assert.strictEqual(chain.subscriptions, 1)
      const head = headerOf(chain.mine())
      for (const [index, client] of clients.entries()) {
        assert.deepStrictEqual(yield* next(client), notification(ids[index]!, head))
      }
      for (const client of clients) client.socket.terminate()
      while (chain.subscriptions > 0) yield* Effect.sleep("5 millis")
    }).pipe(Effect.scoped)
  )

  it.live("of one client is nothing that another could end", () =>
    Effect.gen(function* () {
      const { chain, ...service } = yield* start()
      const [one, other] = [yield* Service.connected(service), yield* Service.connected(service)]
      const id = yield* subscribe(one, "newHeads")
      assert.strictEqual((yield* ask(other, "eth_unsubscribe", [id])).error.message, "subscription not found")
      const block = chain.mine()
      assert.deepStrictEqual(yield* next(one), notification(id, headerOf(block)))
    }).pipe(Effect.scoped)
  )

  it.live("can be begun in a batch, and stays away from the answers of others", () =>
    Effect.gen(function* () {
      const { chain, ...service } = yield* start()
      const client = yield* Service.connected(service)
      const calls = [
        { jsonrpc: "2.0", id: 1, method: "eth_subscribe", params: ["newHeads"] },
        { jsonrpc: "2.0", method: "eth_subscribe", params: ["newHeads"] },
        { jsonrpc: "2.0", id: 2, method: "eth_subscribe", params: ["logs", { address: A }] },
        { jsonrpc: "2.0", id: 3, method: "eth_subscribe", params: ["nothing"] }
      ]
      client.socket.send(JSON.stringify(calls))
      const answers: ReadonlyArray<any> = yield* next(client)
      assert.deepStrictEqual(
        answers.map(({ id }) => id),
        [1, 2, 3]
      )
      assert.deepStrictEqual(answers[2].error, {
        code: -32_601,
        message: 'no "nothing" subscription in eth namespace'
      })
      const block = chain.mine([A, B])
      assert.deepStrictEqual(yield* next(client), notification(answers[0].result, headerOf(block)))
      assert.deepStrictEqual(yield* next(client), notification(answers[1].result, chain.logsOf(block.hash)[0]))
    }).pipe(Effect.scoped)
  )

  it.live("is not there over HTTP, and not where a network has no feeds", () =>
    Effect.gen(function* () {
      const service = yield* start()
      for (const [method, params] of [
        ["eth_subscribe", ["newHeads"]],
        ["eth_unsubscribe", ["0x1"]]
      ] as const) {
        const { body, status } = yield* Service.ask(service, { body: Service.call(method, params) })
        assert.strictEqual(status, 200)
        assert.deepStrictEqual(JSON.parse(body).error, { code: -32_601, message: "notifications not supported" })
      }
      const without = yield* Service.start(service.chain.upstream)
      const client = yield* Service.connected(without)
      assert.strictEqual((yield* ask(client, "eth_subscribe", ["newHeads"])).error.code, -32_601)
    }).pipe(Effect.scoped)
  )

  it.live("is refused beyond so many of a socket", () =>
    Effect.gen(function* () {
      const service = yield* start({ gateway: { limits: { socketSubscriptions: 2 } } })
      const client = yield* Service.connected(service)
      const id = yield* subscribe(client, "newHeads")
      yield* subscribe(client, "logs", {})
      assert.deepStrictEqual((yield* ask(client, "eth_subscribe", ["newHeads"])).error, {
        code: -32_005,
        message: "too many subscriptions, want at most 2"
      })
      yield* ask(client, "eth_unsubscribe", [id])
      yield* subscribe(client, "newHeads")
    }).pipe(Effect.scoped)
  )

  it.live("that cannot begin at the node is answered as any call, and takes no place", () =>
    Effect.gen(function* () {
      const { chain, ...service } = yield* start({ gateway: { limits: { socketSubscriptions: 1 } } })
      const client = yield* Service.connected(service)
      chain.isDown = true
      for (const _ of [1, 2]) {
        assert.deepStrictEqual((yield* ask(client, "eth_subscribe", ["newHeads"])).error, {
          code: -32_603,
          message: "internal error"
        })
      }
      chain.isDown = false
      yield* subscribe(client, "newHeads")
    }).pipe(Effect.scoped)
  )

  it.live("goes on without a gap when the node's connection was lost", () =>
    Effect.gen(function* () {
      const { chain, ...service } = yield* start()
      const client = yield* Service.connected(service)
      const id = yield* subscribe(client, "newHeads")
      yield* chain.disconnect
      const blocks = [chain.mine(), chain.mine(), chain.mine()]
      for (const block of blocks) assert.deepStrictEqual(yield* next(client), notification(id, headerOf(block)))
    }).pipe(Effect.scoped)
  )
})

describe("a socket with subscriptions", () => {
  it.live("is closed with 1013 when events were missed, and with 1012 when the feeds end", () =>
    Effect.gen(function* () {
      const { chain, closeFeeds, ...service } = yield* start()
      const one = yield* Service.connected(service)
      yield* subscribe(one, "newHeads")
      chain.isDown = true
      yield* chain.disconnect
      for (let count = 0; count < 300; count++) chain.mine()
      chain.isDown = false
      assert.deepStrictEqual(yield* Effect.promise(() => one.closed), { code: 1013, reason: "events were missed" })
      const other = yield* Service.connected(service)
      yield* subscribe(other, "newHeads")
      yield* closeFeeds
      assert.deepStrictEqual(yield* Effect.promise(() => other.closed), { code: 1012, reason: "service restart" })
    }).pipe(Effect.scoped)
  )

  it.live("that does not read is closed, and others do not wait for it", () =>
    Effect.gen(function* () {
      const { chain, ...service } = yield* start({ gateway: { limits: { socketBufferedBytes: 200_000 } } })
      const slow = yield* Service.connected(service)
      const quick = yield* Service.connected(service)
      yield* subscribe(slow, "newPendingTransactions")
      yield* subscribe(quick, "newPendingTransactions")
      slow.socket.pause()
      const transaction = `0x${"00".repeat(50_000)}`
      for (let count = 0; count < 300; count++) {
        chain.push("newPendingTransactions", transaction)
        assert.strictEqual((yield* next(quick)).params.result, transaction)
      }
      slow.socket.resume()
      const end = yield* Effect.promise(() => slow.closed)
      assert.include([1013, 1006], end.code)
    }).pipe(Effect.scoped)
  )

  it.live("is closed when the key is revoked, or its allowlist no longer has what it listens to", () =>
    Effect.gen(function* () {
      const service = yield* start()
      const client = yield* Service.connected(service)
      yield* subscribe(client, "logs", { address: A })
      const holder = (yield* service.accounts.lookup(KEY))!
      const allow = (addresses: ReadonlyArray<string>) =>
        service.accounts.updateProject("p1", { allowlist: { ...holder.project.allowlist, addresses } })
      yield* allow([A, B])
      yield* Effect.sleep("700 millis")
      assert.strictEqual(client.socket.readyState, client.socket.OPEN)
      yield* allow([B])
      assert.deepStrictEqual(yield* Effect.promise(() => client.closed), {
        code: 1008,
        reason: "rejected due to project ID settings"
      })
      const other = yield* Service.connected(service)
      yield* subscribe(other, "newHeads")
      yield* service.accounts.revokeKey(holder.key.id)
      assert.strictEqual((yield* Effect.promise(() => other.closed)).code, 1008)
    }).pipe(Effect.scoped)
  )

  it.live("is closed too when the allowlist changes while a subscription begins", () =>
    Effect.gen(function* () {
      const asked = yield* Deferred.make<void>()
      const gate = yield* Deferred.make<void>()
      const service = yield* start({
        feeds: (feeds) => ({
          ...feeds,
          open: (request, listener) =>
            Effect.andThen(
              Effect.andThen(Deferred.succeed(asked, undefined), Deferred.await(gate)),
              feeds.open(request, listener)
            )
        })
      })
      const client = yield* Service.connected(service)
      client.socket.send(Service.call("eth_subscribe", ["logs", { address: A }]))
      yield* Deferred.await(asked)
      const { project } = (yield* service.accounts.lookup(KEY))!
      yield* service.accounts.updateProject("p1", { allowlist: { ...project.allowlist, addresses: [B] } })
      yield* Effect.sleep("1 second")
      yield* Deferred.succeed(gate, undefined)
      assert.deepStrictEqual(
        yield* Effect.timeout(
          Effect.promise(() => client.closed),
          "30 seconds"
        ),
        {
          code: 1008,
          reason: "rejected due to project ID settings"
        }
      )
    }).pipe(Effect.scoped)
  )

  it.live("may not listen to addresses that are not on the allowlist, or to all", () =>
    Effect.gen(function* () {
      const service = yield* start({
        project: { allowlist: { networks: [], methods: [], addresses: [A], origins: [], userAgents: [] } }
      })
      const client = yield* Service.connected(service)
      for (const filter of [{}, { address: B }, { address: [A, B] }, { topics: [] }]) {
        assert.deepStrictEqual((yield* ask(client, "eth_subscribe", ["logs", filter])).error, {
          code: -32_002,
          message: "rejected due to project ID settings"
        })
      }
      yield* subscribe(client, "logs", { address: [A] })
      yield* subscribe(client, "newHeads")
    }).pipe(Effect.scoped)
  )
})

describe("events", () => {
  it.live("are metered in rows without calls: so many credits for each block, and every byte", () =>
    Effect.gen(function* () {
      const { chain, events, ...service } = yield* start()
      const client = yield* Service.connected(service)
      yield* subscribe(client, "newHeads")
      yield* subscribe(client, "logs", {})
      const bytes: Array<string> = []
      client.socket.on("message", (data) => bytes.push((data as Buffer).toString("utf8")))
      for (let count = 0; count < 3; count++) {
        chain.mine([A, B])
        for (let event = 0; event < 3; event++) yield* next(client)
      }
      const sent = bytes.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
      assert.deepStrictEqual(yield* events(sent), { calls: 0, credits: 3 * 50 + 3 * 300, bytesOut: sent })
    }).pipe(Effect.scoped)
  )

  it.live("are recorded when the socket and the service end", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const state = yield* Layer.build(State.layer([{ id: "p1", key: KEY, secret: SECRET }]))
      const chain = new FakeChain()
      chain.canPush = true
      const feeds = yield* EthFeeds.make(chain.upstream)
      const network = {
        name: "live",
        hosts: [],
        chainId: 1,
        methods: EthMethods.group,
        upstream: chain.upstream,
        feeds
      }
      const service = Context.get(
        yield* Layer.buildWithScope(
          Gateway.layer({ networks: [network] }).pipe(Layer.provide(Layer.succeedContext(state))),
          scope
        ),
        Gateway.Gateway
      )
      const client = yield* Service.connected(service)
      yield* subscribe(client, "newHeads")
      chain.mine()
      yield* next(client)
      yield* Scope.close(scope, Exit.void)
      const figures = Context.get(state, UsageFigures.UsageFigures)
      const now = yield* Clock.currentTimeMillis
      const { rows } = yield* figures.by({ ...UsageFigures.last("24h", now), by: ["method"] })
      assert.strictEqual(rows.find(({ method }) => method === "eth_subscription")?.credits, 50n)
    }).pipe(Effect.scoped)
  )

  it.live("end with 1008 when the day's credits are gone", () =>
    Effect.gen(function* () {
      const { chain, events, ...service } = yield* start({ project: { limits: { creditsPerDay: 120 } } })
      const client = yield* Service.connected(service)
      yield* subscribe(client, "newHeads")
      for (let count = 0; count < 2; count++) {
        chain.mine()
        yield* next(client)
        yield* events(1 + count)
        yield* Effect.sleep("1100 millis")
      }
      assert.strictEqual(client.socket.readyState, client.socket.OPEN)
      chain.mine()
      assert.deepStrictEqual(yield* Effect.promise(() => client.closed), {
        code: 1008,
        reason: "daily request count exceeded, request rate limited"
      })
      const { body, status } = yield* Service.ask(service, { body: Service.call("eth_blockNumber") })
      assert.strictEqual(status, 429)
      assert.include(body, "daily request count exceeded")
    }).pipe(Effect.scoped)
  )

  it.live("are not begun where nothing can be recorded", () =>
    Effect.gen(function* () {
      const { chain, ...service } = yield* start({ metering: meteringDown(true) })
      const client = yield* Service.connected(service)
      assert.deepStrictEqual((yield* ask(client, "eth_subscribe", ["newHeads"])).error, {
        code: -32_002,
        message: "service unavailable"
      })
      while (chain.subscriptions > 0) yield* Effect.sleep("5 millis")
      chain.mine()
      yield* Effect.sleep("50 millis")
      // The next message is an answer, not an event.
      assert.strictEqual((yield* ask(client, "eth_subscribe", ["newHeads"])).id, "c")
    }).pipe(Effect.scoped)
  )
})

describe("viem", () => {
  it.live("watches blocks and events", () =>
    Effect.gen(function* () {
      const { chain, ...service } = yield* start()
      const client = createPublicClient({
        transport: webSocket(`${service.wsUrl}/ws/v3/${KEY}`, { reconnect: false, keepAlive: false })
      })
      const numbers: Array<bigint> = []
      const addresses: Array<string> = []
      const stop = [
        client.watchBlockNumber({ onBlockNumber: (number) => numbers.push(number) }),
        client.watchEvent({ address: A, onLogs: (logs) => addresses.push(...logs.map(({ address }) => address)) })
      ]
      yield* Effect.addFinalizer(() => Effect.sync(() => stop.forEach((each) => each())))
      // both subscriptions have begun when viem knows their ids
      const { subscriptions } = yield* Effect.promise(() => client.transport.getRpcClient())
      while (subscriptions.size < 2) yield* Effect.sleep("5 millis")
      const block = chain.mine([B, A])
      while (numbers.length === 0 || addresses.length === 0) yield* Effect.sleep("5 millis")
      assert.deepStrictEqual(numbers, [BigInt(block.number)])
      assert.deepStrictEqual(addresses, [A])
    }).pipe(Effect.scoped)
  )
})
