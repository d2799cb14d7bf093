/**
 * Caches proven answers that can never change. They do not expire.
 *
 * An answer is cached if all of it is proven and nothing of it is missing, and one of these conditions holds. A proven
 * answer has every field that follows from its proof, and a missing field that does not follow is claimed.
 *
 * - The caller named a block by its hash, and that hash proves the answer.
 * - A final block proves the answer: a hash that the operator pinned, or the finalized block of a light client.
 *
 * All other calls are sent to the nodes: calls with tags, calls whose answer is `null` or has a field that is only
 * claimed, and calls with a block number above the final block. So the cache never answers a call for a block number
 * with an orphaned block. While a call for a block hash, a block number or a transaction is under way, identical calls
 * share its answer.
 *
 * Calls with tags never share an answer, even while they are under way: a caller that has just seen its transaction
 * accepted must not get an answer that was requested before.
 */
import type { ErrorObject } from "@plumbline/jsonrpc-core/error/ErrorObject"
import * as Anchor from "@plumbline/verdict/Anchor"
import type { Evidence } from "@plumbline/verdict/Evidence"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"

import type { GatewayError } from "../errors/GatewayError.ts"
import * as AnswerVerdicts from "../integrity/answerVerdict.ts"
import * as RunMethods from "../integrity/runMethods.ts"
import type { AnswerVerdict, Upstream, UpstreamAnswer } from "../networks/Upstream.ts"
import type { UpstreamError } from "../networks/UpstreamError.ts"
import * as Setting from "../schema/Setting.ts"
import { AnswerMemory } from "./answerMemory.ts"
import type { AnswerStore } from "./AnswerStore.ts"
import * as CacheableCall from "./cacheableCall.ts"
import { SingleFlight } from "./singleFlight.ts"
import * as StoredAnswer from "./storedAnswer.ts"

/** The settings of a cache. */
export const fields = {
  memory: Setting.defaulted(
    Setting.bytes({ description: "Proven answers in memory of one process; 0 keeps none.", default: "64MiB" })
  )
}

const settings = Schema.Struct(fields)

/** The options of a cache: its size, and its second tier. */
export interface VerifiedCacheOptions extends Setting.OptionsOf<typeof settings.Type> {
  /** A persistent store, which is asked if the memory does not have the answer (default: none). */
  readonly store?: AnswerStore | undefined
}

/** The default options. */
export const defaults = Setting.defaultsOf(settings)

/** The chain of a network, and the source of trust that proves its answers. */
export interface ChainTrust {
  /**
   * Identifies the chain and the source of trust. Networks with the same id share answers. After a change of the source
   * of trust, answers that were proven before are not found.
   */
  readonly id: string
  /** Identifies the rules by which calls are run. Other rules can give a call another answer. Default: none. */
  readonly callRules?: string | undefined
  /** True if an answer that `basis` proves cannot change. */
  readonly isFinal: (basis: AnswerProof) => boolean
}

/** The anchor that proves an answer, and the evidence. */
export interface AnswerProof {
  readonly anchor: Anchor.Anchor
  readonly proven: ReadonlyArray<Evidence>
}

/** The counts since the cache was made. */
export interface VerifiedCacheStats {
  /** Number of answers from memory. */
  readonly hits: number
  /** Number of answers from the store. */
  readonly stored: number
  /** Number of calls that shared the answer of an identical call under way. */
  readonly joined: number
  /** Number of calls that the nodes answered, and whose answers may be cached. */
  readonly asked: number
  /** Number of answers that are in memory, and their size in bytes. */
  readonly entries: number
  readonly bytes: number
  /** Number of damaged rows that were found in the store. Such rows are not used. */
  readonly corrupt: number
  /** Number of answers that were not stored, because they were too large or too many answers waited to be written. */
  readonly dropped: number
}

/** A cache for any number of networks. */
export interface VerifiedCache {
  /** Wraps an upstream with the cache. `Integrity` must check the answers of the given upstream. */
  readonly around: (upstream: Upstream, ground: ChainTrust) => Upstream
  readonly stats: () => VerifiedCacheStats
}

/**
 * Makes a cache. When the scope ends, calls under way are interrupted.
 *
 * ```ts import.meta.vitest
 * import { VerifiedCache } from "@plumbline/gateway"
 * import * as Effect from "effect/Effect"
 *
 * let asked = 0
 * const node = { call: () => Effect.sync(() => (asked++, new TextEncoder().encode('"0x1"'))) }
 * const program = Effect.gen(function* () {
 *   const cache = yield* VerifiedCache.make()
 *   const upstream = cache.around(node, { id: "mainnet", isFinal: () => true })
 *   // nothing proves it, so nothing is kept
 *   yield* upstream.call("eth_getBalance", [`0x${"11".repeat(20)}`, "0x1"])
 *   yield* upstream.call("eth_getBalance", [`0x${"11".repeat(20)}`, "0x1"])
 * })
 * await Effect.runPromise(Effect.scoped(program))
 * asked // => 2
 * ```
 */
export const make = Effect.fnUntraced(function* (
  options: VerifiedCacheOptions = {}
): Effect.fn.Return<VerifiedCache, GatewayError, Scope.Scope> {
  const { memory: most } = yield* Effect.fromResult(Setting.resolve(settings, options))
  const { store } = options
  const memory = new AnswerMemory(most)
  const flights = new SingleFlight<UpstreamAnswer, ErrorObject | UpstreamError>(yield* Effect.scope)
  let hits = 0
  let stored = 0
  let joined = 0
  let asked = 0

  const known = (key: string): Exit.Exit<Uint8Array> | undefined => {
    const answer = memory.get(key)
    if (answer === undefined) return undefined
    hits++
    return Exit.succeed(answer)
  }

  const around = (upstream: Upstream, { callRules = "", id, isFinal }: ChainTrust): Upstream => {
    const stays = ({ named }: CacheableCall.CacheableCall, verdict: AnswerVerdict): boolean => {
      if (verdict.word !== "VERIFIED" || verdict.isNull || verdict.claimed.length > 0) return false
      const { anchor, proven } = verdict
      // a block that only nodes vouch for is not final, whatever the source of trust says
      if (anchor === undefined || Anchor.isWeak(anchor)) return false
      return named === undefined
        ? isFinal({ anchor, proven })
        : anchor._tag === "Block" && anchor.hash.toLowerCase() === named
    }

    const ask = (method: string, params: ReadonlyArray<unknown>, question: CacheableCall.CacheableCall, key: string) =>
      Effect.map(upstream.call(method, params), (answer) => {
        asked++
        const { verdict } = answer
        if (verdict !== undefined && stays(question, verdict)) {
          const { anchorText } = verdict
          // another array over the same bytes: this answer keeps its own verdict, which names its node
          memory.set(key, AnswerVerdicts.attach(answer.subarray(), verdictFrom(anchorText!)))
          store?.put(key, StoredAnswer.encode(answer, anchorText!))
        }
        return answer
      })

    const call: Upstream["call"] = (method, params) => {
      const question = CacheableCall.of(method, params)
      if (question === undefined) return upstream.call(method, params)
      const key = `${RunMethods.isRun(method) ? `${id} ${callRules}` : id} ${question.key}`
      // A cached answer never changes. So it is read now, before the effect runs, and the caller needs no fiber.
      const kept = known(key)
      if (kept !== undefined) return kept
      return Effect.suspend(() => {
        const kept = known(key)
        if (kept !== undefined) return kept
        if (flights.has(key)) joined++
        const asking = ask(method, params, question, key)
        if (store === undefined) return flights.join(key, asking)
        return flights.join(
          key,
          Effect.flatMap(store.get(key), (bytes) => {
            const found = bytes === undefined ? undefined : StoredAnswer.decode(bytes)
            if (found === undefined) return asking
            stored++
            const answer = AnswerVerdicts.attach(found.answer, verdictFrom(found.anchor))
            memory.set(key, answer)
            return Exit.succeed(answer)
          })
        )
      })
    }
    return { ...upstream, call }
  }

  return {
    around,
    stats: () => ({
      hits,
      stored,
      joined,
      asked,
      entries: memory.entries,
      bytes: memory.bytes,
      corrupt: store?.stats().corrupt ?? 0,
      dropped: store?.stats().dropped ?? 0
    })
  }
})

/** Returns the verdict of a cached answer. Only VERIFIED answers are cached. */
const verdictFrom = (anchorText: string): AnswerVerdict => ({
  word: "VERIFIED",
  claimed: [],
  anchor: undefined,
  anchorText,
  proven: [],
  isNull: false,
  by: "the cache"
})
