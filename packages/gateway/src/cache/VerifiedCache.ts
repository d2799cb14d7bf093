/**
 * Proven answers, kept for ever and without doubt: a hash or a finalized number means the same tomorrow.
 *
 * An answer is kept if all of it is proven and if it cannot change:
 *
 * - The caller named a block by its hash, and the answer follows from that very hash.
 * - Or it follows from a final block: a hash that the operator pinned, or the finalized block of a light client.
 *
 * Everything else goes to the nodes: tags, answers with a field that is only claimed, `null`, and numbers above the
 * final block. So an orphaned block is never answered under its number. Identical questions of this kind that are under
 * way are one call to the nodes.
 *
 * Answers of moving blocks are not shared, not even while they are under way: a caller that has just seen its
 * transaction accepted must not get an answer that was asked for before.
 */
import type { ErrorObject } from "@plumbline/jsonrpc-core/error/ErrorObject"
import type * as Anchor from "@plumbline/verdict/Anchor"
import type { Evidence } from "@plumbline/verdict/Evidence"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"

import * as AnswerVerdict from "../integrity/answerVerdict.ts"
import type { Upstream } from "../networks/Upstream.ts"
import type { UpstreamFault } from "../networks/UpstreamFault.ts"
import type { AnswerStore } from "./AnswerStore.ts"
import { Flights } from "./flights.ts"
import { AnswerMemory } from "./memory.ts"
import * as Question from "./question.ts"

/** The bounds of a cache, and its second tier. */
export interface Options {
  /** Maximum bytes in memory. Default: 64 MiB. */
  readonly memoryBytes?: number | undefined
  /** A persistent store that is asked after the memory. Default: none. */
  readonly store?: AnswerStore | undefined
}

/** The defaults of the options. */
export const defaults: { readonly memoryBytes: number } = { memoryBytes: 64 * 1024 * 1024 }

/** The chain and the trust on which the answers of a network rest. */
export interface Ground {
  /**
   * Names the chain and the trust. Networks that share it share answers; after a change of trust, answers that were
   * proven before are not found.
   */
  readonly id: string
  /** True if an answer that follows from this cannot change. */
  readonly isFinal: (basis: Basis) => boolean
}

/** The hash that proves an answer, and the evidence. */
export interface Basis {
  readonly anchor: Anchor.Anchor
  readonly proven: ReadonlyArray<Evidence>
}

/** Counts since the start. */
export interface Stats {
  /** Answers from memory. */
  readonly hits: number
  /** Answers from the store. */
  readonly stored: number
  /** Number of calls that joined the same call under way. */
  readonly joined: number
  /** Questions of this kind that went to the nodes. */
  readonly asked: number
  /** Answers in memory, and their bytes. */
  readonly entries: number
  readonly bytes: number
  /** Number of damaged rows in the store, which were not used. */
  readonly corrupt: number
  /** Answers that were not stored, because too many waited to be written. */
  readonly dropped: number
}

/** A cache, for any number of networks. */
export interface VerifiedCache {
  /** Returns the upstream, which must be behind `Integrity`, with the cache in front. */
  readonly around: (upstream: Upstream, ground: Ground) => Upstream
  readonly stats: () => Stats
}

/**
 * Makes a cache. Calls under way end with the scope.
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
  options: Options = {}
): Effect.fn.Return<VerifiedCache, never, Scope.Scope> {
  const { memoryBytes = defaults.memoryBytes, store } = options
  const memory = new AnswerMemory(memoryBytes)
  const flights = new Flights<Uint8Array, ErrorObject | UpstreamFault>(yield* Effect.scope)
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

  const around = (upstream: Upstream, { id, isFinal }: Ground): Upstream => {
    const stays = ({ named }: Question.Question, verdict: AnswerVerdict.AnswerVerdict): boolean => {
      if (verdict.word !== "VERIFIED" || verdict.isNull || verdict.claimed.length > 0) return false
      const { anchor, proven } = verdict
      if (anchor === undefined) return false
      return named === undefined
        ? isFinal({ anchor, proven })
        : anchor._tag === "Block" && anchor.hash.toLowerCase() === named
    }

    const ask = (method: string, params: ReadonlyArray<unknown>, question: Question.Question, key: string) =>
      Effect.map(upstream.call(method, params), (answer) => {
        asked++
        const verdict = AnswerVerdict.get(answer)
        if (verdict !== undefined && stays(question, verdict)) {
          memory.set(key, AnswerVerdict.attach(answer, PROVEN))
          store?.put(key, answer)
        }
        return answer
      })

    const call: Upstream["call"] = (method, params) => {
      const question = Question.of(method, params)
      if (question === undefined) return upstream.call(method, params)
      const key = `${id} ${question.key}`
      // A kept answer is true at any time. So it is taken now, and the caller needs no fiber to wait for it.
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
          Effect.flatMap(store.get(key), (found) => {
            if (found === undefined) return asking
            stored++
            const answer = AnswerVerdict.attach(found, PROVEN)
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

/** The verdict on a kept answer: only VERIFIED answers are kept. */
const PROVEN: AnswerVerdict.AnswerVerdict = {
  word: "VERIFIED",
  claimed: [],
  anchor: undefined,
  proven: [],
  isNull: false,
  by: "the cache"
}
