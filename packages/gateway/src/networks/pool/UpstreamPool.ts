/**
 * Several nodes of one network as one upstream.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Random from "effect/Random"
import type * as Scope from "effect/Scope"

import { millisOf } from "../../clock/monotonic.ts"
import type { GatewayError } from "../../errors/GatewayError.ts"
import type { Subscribe, Upstream } from "../Upstream.ts"
import { type Ask, bounded, callOf, counted } from "./asking.ts"
import * as PoolChain from "./chain.ts"
import { Heads } from "./heads.ts"
import { PoolMember } from "./member.ts"
import * as PoolProbes from "./probes.ts"
import * as PoolQuestion from "./question.ts"
import * as PoolQuorum from "./quorum.ts"
import * as PoolRank from "./rank.ts"
import * as PoolSettings from "./settings.ts"
import type { Member, Options } from "./settings.ts"
import * as PoolTransaction from "./transaction.ts"
import * as PoolTries from "./tries.ts"

export { defaults } from "./settings.ts"
export type { Budget, Chain, Hedge, Member, Options, Quorum } from "./settings.ts"

/**
 * Makes a pool. Its background work ends with the scope; the nodes are not closed.
 *
 * **Order of nodes.** Nodes that are up, then those that are behind, then those that are down: a call never waits for a
 * node that is known to be down while another is up. When all are down, each is tried.
 *
 * **Failover to the next node.** A call moves on if its node gave no answer: an `UpstreamFault` other than `TooLarge`.
 * It also moves on after an error object that says more about the node than about the question: a limit, an overload, a
 * missing method, block or state. If all nodes refuse, the answer is the first one's error object. A node that asks for
 * a rest gets it, and its limit is not a fault.
 *
 * **Heads.** Two calls of one conversation may be answered by two nodes. No head that an answer named or was based on
 * goes back for that reason, as long as another node has it.
 *
 * **Calls that are sent again.** Calls of methods that are `idempotent`, and signed transactions (`isSubmission`): the
 * nonce in the signed data keeps a transaction from taking effect twice. When a node may have taken a transaction and
 * the next one refuses it (`already known`, `nonce too low`), the refusal would wrongly report that it was not taken.
 * So the nodes are asked for it: if one has it, the answer is its hash. Otherwise, and on the second chain, the answer
 * is the first node's fault. Any other call moves on only if it certainly had no effect (`UpstreamFault.notDone`).
 *
 * **Nodes that are down.** A node is down after `failures` consecutive faults. Then it is asked for its latest block
 * after each `cooldown`, and is up when it answers. Callers' requests never serve as this probe. A node whose callers
 * leave before it answers is probed too.
 *
 * **The chain of a node** (`chain`). A node is asked for its chain id before its first call, before the first call
 * after a fault, and every `every`. One of another chain gets no calls until it returns the right id. If all are wrong,
 * calls fail with `WrongChain`. A node that answers the question with an error object is trusted with other calls.
 *
 * ```ts import.meta.vitest
 * import { UpstreamFault, UpstreamPool } from "@plumbline/gateway"
 * import { EthMethods } from "@plumbline/eth-methods"
 * import * as Effect from "effect/Effect"
 *
 * const broken = new UpstreamFault.UpstreamFault({ reason: { _tag: "Unreachable", code: "ECONNREFUSED" } })
 * const members = [
 *   { name: "own", upstream: { call: () => Effect.fail(broken) } },
 *   { name: "provider", upstream: { call: () => Effect.succeed(new TextEncoder().encode('"0x10"')) } }
 * ]
 * const program = Effect.gen(function* () {
 *   const pool = yield* UpstreamPool.make(members, { methods: EthMethods.group, failures: 1 })
 *   const answer = yield* pool.call("eth_blockNumber", [])
 *   return [new TextDecoder().decode(answer), pool.health?.().map(({ name, state }) => `${name}: ${state}`)]
 * })
 * await Effect.runPromise(Effect.scoped(program)) // => ['"0x10"', ["own: down", "provider: up"]]
 * ```
 */
export const make = Effect.fnUntraced(function* (
  members: ReadonlyArray<Member>,
  options: Options
): Effect.fn.Return<Upstream, GatewayError, Scope.Scope> {
  const settings = yield* PoolSettings.resolve(members, options)
  const clock = yield* Clock.Clock
  const offset = clock.currentTimeMillisUnsafe() - millisOf(clock)
  const pool = members.map((member) => new PoolMember(member, settings, PoolSettings.defaults, offset))
  const heads = new Heads()
  const probes = yield* PoolProbes.make(pool, settings)
  const choice = PoolRank.make(pool, settings.by, heads, probes.refresh, yield* Random.Random)
  const ofChain = yield* PoolChain.make(pool, settings)
  const tries = PoolTries.make(pool, settings, choice, heads, probes, ofChain)
  const agreed = settings.quorum === undefined ? undefined : PoolQuorum.make(settings, choice, tries, ofChain)
  const table = PoolQuestion.table(options.methods)

  /** Returns a method's entry. A method that is not in the table does not count as a read. */
  const askingOf = (method: string): PoolQuestion.Asking =>
    table.get(method) ?? PoolQuestion.foreign(method, isSubmission(method) ? "submission" : "other")

  const lookUp = (params: ReadonlyArray<unknown>) => PoolTransaction.lookUp(params, pool, settings, tries)

  const pushing = pool.filter(({ upstream }) => upstream.subscribe !== undefined)
  const subscribing = PoolQuestion.foreign("eth_subscribe", "read").plain
  const subscribe: Subscribe = (params) =>
    tries.run({
      question: subscribing,
      ask: (member, left) => counted(member, bounded(member.upstream.subscribe!(params), left)),
      suits: (member) => pushing.includes(member)
    })

  return {
    call: (method, params) =>
      Effect.suspend(() => {
        const question = PoolQuestion.of(askingOf(method), params)
        const ask: Ask<Uint8Array> = (member, left) => callOf(member, method, params, left)
        if (agreed !== undefined && settings.quorum?.methods.has(method) === true) return agreed(question, ask)
        const doubt = method === PoolTransaction.SEND ? lookUp(params) : undefined
        return tries.run({ question, ask, bytesOf: identity, doubt })
      }),
    subscribe: pushing.length === 0 ? undefined : subscribe,
    health: () => {
      const now = millisOf(clock)
      const at = clock.currentTimeMillisUnsafe()
      return pool.map((member) => member.health(now, at))
    }
  }
})

/**
 * True if a method submits a signed transaction, which may be sent again without taking effect twice:
 * `eth_sendRawTransaction`, and Starknet's `add...Transaction` under any prefix.
 *
 * ```ts import.meta.vitest
 * import { UpstreamPool } from "@plumbline/gateway"
 *
 * UpstreamPool.isSubmission("starknet_addInvokeTransaction") // => true
 * UpstreamPool.isSubmission("eth_sendTransaction") // => false
 * ```
 */
export const isSubmission = (method: string): boolean => PoolQuestion.isSubmission(method)
