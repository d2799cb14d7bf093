/** The service that `costs.ts` measures. It prints its port, and its processor time on request. */
import { EthMethods } from "@plumbline/eth-methods"
import {
  Accounts,
  Gateway,
  HttpUpstream,
  Limiter,
  LimiterStore,
  Metering,
  MeteringStore,
  RedisLimiterStore,
  type Upstream,
  UpstreamPool,
  VerifiedCache
} from "@plumbline/gateway"
import { Context, Effect, Exit, Layer, Redacted, type Scope } from "effect"

import * as AnswerVerdicts from "../src/integrity/answerVerdict.ts"
import * as State from "../test/support/accounts.ts"
import { HASH } from "../test/support/methods.ts"
import { open } from "../test/support/place.ts"

/** The options of the measured service. */
export interface Setup {
  readonly key: string
  /** True if the project has limits. */
  readonly limited: boolean
  readonly metered: boolean
  readonly durability?: MeteringStore.UsageDurability | undefined
  readonly place: ReadonlyArray<string>
  /** The URL of Redis. Without it limits are counted in memory. */
  readonly redis?: string | undefined
  /** False if node:http reads the calls, instead of the lane. */
  readonly lane?: boolean | undefined
  /** The source of the answers. Default: an answer that is known at once. */
  readonly source?: { readonly node: string; readonly client: "plain" | "undici" } | "cache" | undefined
}

const { durability, key, lane, limited, metered, place, redis, source }: Setup = JSON.parse(process.argv[2]!)

const nowhere = Layer.succeed(Metering.Metering, {
  record: () => Effect.void,
  recordAll: () => Effect.void,
  plain: { obstacle: () => undefined, record: (_, told) => told(Exit.void) },
  latencies: Metering.latencies(),
  ready: Effect.void,
  status: Effect.succeed({ store: "up" as const, waiting: 0, rows: 0 })
})

const state = Layer.mergeAll(
  Accounts.layer(),
  metered ? Metering.layer({ durability }).pipe(Layer.provide(MeteringStore.layer())) : nowhere,
  // The timeout is long, because a store on a busy machine can be slow without being down.
  Limiter.layer({ timeout: "10 seconds" }).pipe(
    Layer.provide(
      redis === undefined ? LimiterStore.layerMemory() : RedisLimiterStore.layer({ url: Redacted.make(redis) })
    )
  )
).pipe(Layer.provideMerge(open(place)))

// Credits are counted, but these limits are never reached.
const limits = limited ? { creditsPerSecond: 1e9, creditsPerDay: 1e12, concurrency: 1e6 } : {}
const project = { id: "p", key, secret: "secret", limits }

const result = new TextEncoder().encode(`"0x${"00".repeat(31)}2a"`)

/** A network with proven answers in the cache. The first call is a miss. */
const cached = Effect.map(VerifiedCache.make(), (cache) => {
  const anchor = { _tag: "Block" as const, hash: `0x${HASH.slice(2)}` as const, number: 1n }
  const verdict = {
    word: "VERIFIED" as const,
    claimed: [],
    anchor,
    anchorText: HASH,
    proven: [],
    isNull: false,
    by: "n"
  }
  const proven = { call: () => Effect.sync(() => AnswerVerdicts.attach(result.slice(), verdict)) }
  return cache.around(proven, { id: "live", isFinal: () => true })
})

const upstreamOf = (source: Setup["source"]): Effect.Effect<Upstream.Upstream, unknown, Scope.Scope> => {
  if (source === "cache") return cached
  if (source === undefined) return Effect.succeed({ call: () => Effect.succeed(result) })
  // Nodes that get a header that is not plain ASCII are called over undici (docs/decisions/http.md).
  const headers = source.client === "undici" ? { "x-client": "\u00e9" } : {}
  return Effect.flatMap(HttpUpstream.make({ url: source.node, headers }), (upstream) =>
    UpstreamPool.make([{ name: "node", upstream }], { methods: EthMethods.group })
  )
}

/** The memory of the service. Measuring it needs `--expose-gc`. */
export interface Held {
  /** Bytes of the heap and of buffers, after a collection of garbage. */
  readonly heap: number
  readonly resident: number
  /** Milliseconds of processor time that this thread used without a turn of its event loop, at most. */
  readonly pause: number
}

let longest = 0
let turned: NodeJS.CpuUsage | undefined

/** Returns what the service holds, and the longest pause since the previous answer. */
const held = (): Held => {
  if (turned === undefined) {
    setInterval(() => {
      const { system, user } = process.threadCpuUsage(turned)
      longest = Math.max(longest, (system + user) / 1000)
      turned = process.threadCpuUsage()
    }, 5).unref()
  }
  const pause = longest
  globalThis.gc!()
  const { arrayBuffers, heapUsed, rss } = process.memoryUsage()
  longest = 0
  turned = process.threadCpuUsage()
  return { heap: heapUsed + arrayBuffers, resident: rss, pause }
}

process.once("disconnect", () => process.exit())
await Effect.runPromise(
  Effect.gen(function* () {
    const upstream = yield* upstreamOf(source)
    const isChecked = source === "cache"
    const { group: methods } = EthMethods
    const network = { name: "live", hosts: ["live.localhost"], chainId: 1, methods, upstream, isChecked }
    const gateway = Gateway.layer({ networks: [network], lane: lane !== false })
    const context = yield* Layer.build(gateway.pipe(Layer.provideMerge(state)))
    yield* Effect.provideContext(State.adopt([project]), context)
    process.on("message", (asked) => process.send!(asked === "held" ? held() : process.cpuUsage()))
    process.send!(Context.get(context, Gateway.Gateway).port)
    return yield* Effect.never
  }).pipe(Effect.scoped)
)
