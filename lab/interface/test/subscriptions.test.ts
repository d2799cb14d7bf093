/**
 * Tests subscriptions through the whole service, over anvil: compares the events that ethers and viem receive with the
 * events that anvil sends to a direct client.
 */
import { assert, describe, it } from "@effect/vitest"
import { Anvil, History } from "@plumbline/devnet"
import { EthMethods } from "@plumbline/eth-methods"
import {
  Accounts,
  EthFeeds,
  Gateway,
  HttpUpstream,
  type Network,
  ServiceState,
  type Upstream,
  UpstreamPool,
  WebSocketUpstream
} from "@plumbline/gateway"
import { Context, Deferred, Effect, Exit, Layer, Redacted, Result, type Scope } from "effect"
import { WebSocketProvider } from "ethers"
import { createPublicClient, webSocket } from "viem"
import { WebSocket } from "ws"

/** A constructor that logs one topic, and makes a contract without code. */
const LOGGING = "0x60aa5f5fa1"
const SENDER = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"

/** Starts anvil, and a service that follows it. `through` makes the upstream. Returns a project's WebSocket URL too. */
const served = Effect.fnUntraced(function* (
  through: (anvil: {
    readonly url: string
    readonly wsUrl: string
  }) => Effect.Effect<Upstream.Upstream, unknown, Scope.Scope>
) {
  const anvil = yield* Anvil.make()
  const upstream = yield* through(anvil)
  const feeds = yield* EthFeeds.make(upstream, { interval: "50 millis" })
  const service = yield* serviceOf({
    name: "live",
    hosts: [],
    chainId: anvil.chainId,
    methods: EthMethods.group,
    upstream,
    feeds
  })
  const node = yield* HttpUpstream.make({ url: anvil.url })
  const send = node.call("eth_sendTransaction", [{ from: SENDER, data: LOGGING, gas: "0x30000" }])
  return { ...service, anvil, send }
})

const serviceOf = Effect.fnUntraced(function* (network: Network.Network) {
  const state = yield* Layer.build(ServiceState.layerSqlite({ file: ":memory:" }))
  return yield* Effect.gen(function* () {
    const accounts = yield* Accounts.Accounts
    const { id } = yield* accounts.createAccount({ name: "listener" })
    const { issued } = yield* accounts.createProject({ account: id, name: "listener", limits: {} })
    const gateway = Context.get(yield* Layer.build(Gateway.layer({ networks: [network] })), Gateway.Gateway)
    return { url: `${gateway.wsUrl}/ws/v3/${Redacted.value(issued.apiKey)}` }
  }).pipe(Effect.provideContext(state))
})

/** Subscribes to heads and logs in raw messages, as a client without any library does. */
const raw = (url: string) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly socket: WebSocket; readonly heads: Array<any>; readonly logs: Array<any> }>((resume) => {
      const socket = new WebSocket(url)
      const heads: Array<any> = []
      const logs: Array<any> = []
      const lists = new Map<string, Array<any>>()
      socket.on("open", () => {
        socket.send('{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newHeads"]}')
        socket.send('{"jsonrpc":"2.0","id":2,"method":"eth_subscribe","params":["logs",{}]}')
      })
      socket.on("message", (data) => {
        const message = JSON.parse((data as Buffer).toString("utf8"))
        if (message.id === undefined) lists.get(message.params.subscription)?.push(message.params.result)
        else lists.set(message.result, message.id === 1 ? heads : logs)
        if (lists.size === 2) resume(Effect.succeed({ socket, heads, logs }))
      })
    }),
    ({ socket }) => Effect.sync(() => socket.terminate())
  )

const until = (condition: () => boolean) =>
  Effect.gen(function* () {
    while (!condition()) yield* Effect.sleep("10 millis")
  })

const pooled = (anvil: { readonly url: string; readonly wsUrl: string }) =>
  Effect.gen(function* () {
    return yield* UpstreamPool.make(
      [
        { name: "gone", upstream: yield* WebSocketUpstream.make({ url: "ws://127.0.0.1:1" }) },
        { name: "push", upstream: yield* WebSocketUpstream.make({ url: anvil.wsUrl }) },
        { name: "poll", upstream: yield* HttpUpstream.make({ url: anvil.url }) }
      ],
      { methods: EthMethods.group }
    )
  })

describe.each([
  ["over a WebSocket, in a pool whose first node is gone", pooled],
  ["over HTTP, by polling", ({ url }: { readonly url: string }) => HttpUpstream.make({ url })]
] as const)("a node followed %s", (_, through) => {
  it.live("tells what the node itself tells", () =>
    Effect.gen(function* () {
      const { anvil, send, url } = yield* served(through)
      const itself = yield* raw(anvil.wsUrl)
      const service = yield* raw(url)
      for (let count = 1; count <= 3; count++) {
        yield* send
        yield* until(() => service.heads.length >= count && service.logs.length >= count)
      }
      yield* until(() => itself.heads.length >= 3 && itself.logs.length >= 3)
      // Anvil sends whole blocks. The service sends headers, as geth does.
      const ofBlocks = new Set(["size", "totalDifficulty", "transactions", "uncles", "withdrawals"])
      const headers = itself.heads.map((block) =>
        Object.fromEntries(Object.entries(block).filter(([name]) => !ofBlocks.has(name)))
      )
      assert.deepStrictEqual(service.heads, headers)
      assert.deepStrictEqual(service.logs, itself.logs)
    }).pipe(Effect.scoped)
  )

  it.live("is heard by ethers and viem", () =>
    Effect.gen(function* () {
      const { anvil, send, url } = yield* served(through)
      const itself = yield* raw(anvil.wsUrl)
      // Without a given network, ethers asks for the network, throws on a log that arrives before the answer, and
      // reports no later log.
      const provider = yield* Effect.acquireRelease(
        Effect.sync(() => new WebSocketProvider(url, anvil.chainId, { staticNetwork: true })),
        (provider) => Effect.promise(() => provider.destroy())
      )
      const ethers = { blocks: [] as Array<number>, logs: [] as Array<string> }
      yield* Effect.promise(() => provider.on("block", (number: number) => ethers.blocks.push(number)))
      yield* Effect.promise(() =>
        provider.on({ topics: [] }, (log: { readonly blockHash: string }) => ethers.logs.push(log.blockHash))
      )
      const client = createPublicClient({
        transport: webSocket(url, { reconnect: false, keepAlive: false, timeout: 60_000 })
      })
      const viem = { blocks: [] as Array<string>, logs: [] as Array<string | null> }
      const failed = yield* Deferred.make<never, Error>()
      const onError = (error: Error) => Deferred.doneUnsafe(failed, Exit.fail(error))
      const stop = [
        client.watchBlocks({ onBlock: ({ hash }) => viem.blocks.push(hash), onError }),
        client.watchEvent({ onLogs: (logs) => viem.logs.push(...logs.map(({ blockHash }) => blockHash)), onError })
      ]
      yield* Effect.addFinalizer(() => Effect.sync(() => stop.forEach((each) => each())))
      const lists = [ethers.blocks, ethers.logs, viem.blocks, viem.logs]
      const all = (list: ReadonlyArray<unknown>): ReadonlyArray<unknown> =>
        itself.heads.map(({ hash, number }) => (list === ethers.blocks ? Number(number) : hash))
      /** Returns the true values, from the first one that is in the list. */
      const since = (list: ReadonlyArray<unknown>) => all(list).slice(all(list).findIndex((one) => list.includes(one)))
      const isWhole = (list: ReadonlyArray<unknown>) => list.length === 0 || list.length >= since(list).length
      // The libraries do not report when their subscriptions have begun. So blocks are made until every library has
      // received two. The next block is made when every library that has begun has received the last one.
      const heard = Effect.gen(function* () {
        for (let count = 1; !lists.every((list) => list.length >= 2 && isWhole(list)); count++) {
          yield* send
          yield* until(() => itself.heads.length >= count)
          yield* until(() => lists.every(isWhole))
          yield* Effect.sleep("50 millis")
        }
      })
      // A library that misses a block never receives all of them, and the check below fails.
      yield* Effect.raceFirst(Effect.timeoutOption(heard, "30 seconds"), Deferred.await(failed))
      // viem reads the blocks of all heads at once, and reports them as they arrive. So its list is sorted here.
      const places = all(viem.blocks)
      viem.blocks.sort((one, other) => places.indexOf(one) - places.indexOf(other))
      for (const list of lists) {
        assert.isAtLeast(list.length, 2)
        assert.deepStrictEqual<ReadonlyArray<unknown>>(list, since(list))
      }
    }).pipe(Effect.scoped)
  )
})

describe("anvil", () => {
  it.live("answers over a WebSocket byte for byte as over HTTP, errors too", () =>
    Effect.gen(function* () {
      const anvil = yield* Anvil.make()
      const http = yield* HttpUpstream.make({ url: anvil.url })
      const socket = yield* WebSocketUpstream.make({ url: anvil.wsUrl })
      const calls: ReadonlyArray<readonly [string, ReadonlyArray<unknown>]> = [
        ["eth_chainId", []],
        ...Array.from(
          { length: 20 },
          (_, number) => ["eth_getBlockByNumber", [`0x${number.toString(16)}`, true]] as const
        ),
        ["eth_getLogs", [{ fromBlock: "0x0", toBlock: "latest" }]],
        ["eth_getProof", [SENDER, [`0x${"00".repeat(32)}`], "latest"]],
        ["eth_call", [{ to: SENDER }, "0xffffff"]]
      ]
      const answers = (upstream: Upstream.Upstream) =>
        Effect.all(
          calls.map(([method, params]) => Effect.result(upstream.call(method, params))),
          { concurrency: "unbounded" }
        )
      const texts = Effect.map(answers(http), (all) => all.map(textOf))
      assert.deepStrictEqual((yield* answers(socket)).map(textOf), yield* texts)
    }).pipe(Effect.scoped)
  )
})

/** Returns the text of a result, or the error object. */
const textOf = (answer: Result.Result<Uint8Array, unknown>): unknown =>
  Result.isSuccess(answer) ? new TextDecoder().decode(answer.success) : answer.failure

describe("the history chain, which cannot push", () => {
  it.live("can be listened to, and tells nothing, for it is finished", () =>
    Effect.gen(function* () {
      const upstream = yield* History.make
      const feeds = yield* EthFeeds.make(upstream, { interval: "10 millis" })
      const network = {
        name: "history",
        hosts: [],
        chainId: upstream.chainId,
        methods: EthMethods.group,
        upstream,
        feeds
      }
      const { url } = yield* serviceOf(network)
      const { heads, logs } = yield* raw(url)
      yield* Effect.sleep("100 millis")
      assert.deepStrictEqual([heads, logs], [[], []])
    }).pipe(Effect.scoped)
  )
})
