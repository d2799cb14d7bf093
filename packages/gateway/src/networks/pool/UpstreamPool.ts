/**
 * Several nodes of one network as one upstream.
 */
import * as Monotonic from "@plumbline/jsonrpc-core/time/Monotonic"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Random from "effect/Random"
import type * as Scope from "effect/Scope"

import type { GatewayError } from "../../errors/GatewayError.ts"
import type { Subscribe, Upstream, UpstreamCall } from "../Upstream.ts"
import * as PoolChainIdCheck from "./chainIdCheck.ts"
import { bounded, callOf, counted } from "./nodeCall.ts"
import * as PoolNodeRank from "./nodeRank.ts"
import * as PoolCall from "./poolCall.ts"
import * as PoolFailover from "./poolFailover.ts"
import type { PoolRequest } from "./poolFailover.ts"
import { PoolHeads } from "./poolHeads.ts"
import { PoolMember } from "./poolMember.ts"
import * as PoolProbes from "./poolProbes.ts"
import * as PoolQuorum from "./poolQuorum.ts"
import * as PoolSettings from "./poolSettings.ts"
import type { PoolNode, PoolOptions } from "./poolSettings.ts"
import * as PoolSubmittedTransaction from "./submittedTransaction.ts"

export { defaults, fields, mistakes, nodeFields, watchOf } from "./poolSettings.ts"
export type { PoolChain, PoolNode, PoolOptions } from "./poolSettings.ts"

/**
 * Makes a pool. Its background work ends with the scope. The nodes are not closed.
 *
 * **Order of nodes.** Nodes that are up come first, then nodes that are behind, then nodes that are down. A call never
 * waits for a node that is known to be down while another is up. When all nodes are down, each is tried.
 *
 * **Failover to the next node.** A call moves on if its node gave no answer: an `UpstreamError` other than `TooLarge`.
 * It also moves on after an error object that says more about the node than about the question: a limit, an overload, a
 * missing method, block or state. If all nodes refuse, the answer is the error object of the first node. If a node asks
 * for a pause, the pool sends it no calls for that time; its limit is not a fault.
 *
 * **Heads.** Two calls of one conversation may be answered by two nodes. The pool still never answers from an older
 * head than before, as long as any node has the newer head. This covers heads that an answer names, and heads that an
 * answer is based on. An answer names at most the served tip: the highest block that at least half of the nodes have, of
 * those that are up and whose head was seen in the last 10 seconds. With `pulse` a node that is silent since, by its
 * budget or its pause, counts too: it may have the blocks that the fastest chain adds to its last head. A head more than 64
 * blocks above the tip is not believed, nor one that the tip does not reach in 30 seconds. If no other node answers, the
 * call fails with `Unconfirmed`. Each pool has a tip of its own, and it
 * forgets it when it ends.
 *
 * **Calls that are sent again.** The pool repeats calls of `idempotent` methods, and signed transactions
 * (`isSubmission`): the nonce in the signed data prevents a transaction from taking effect twice. One node may have
 * accepted a transaction without answering. If the next node then refuses the transaction (`already known`,
 * `nonce too low`), the refusal would be misleading. So the pool asks the nodes for the transaction: if one of them has
 * it, the answer is its hash. Otherwise, and on the second chain, the answer is the fault of the first node. Any other
 * call moves on only if it certainly had no effect (`UpstreamError.notDone`).
 *
 * **Nodes that are down.** A node is down after `failures` consecutive faults. Then the pool probes it: it asks for the
 * latest block after each `cooldown`. The node is up when it answers. Callers' requests never serve as this probe. A
 * node is also probed if callers leave before it answers.
 *
 * **The chain of a node** (`chain`). A node is asked for its chain id before its first call, before the first call
 * after a fault, and at the interval `every`. A node of another chain gets no calls until it returns the right id. If
 * all nodes are wrong, calls fail with `WrongChain`. A node that answers with an error object when asked for its id
 * still gets calls.
 *
 * ```ts import.meta.vitest
 * import { UpstreamError, UpstreamPool } from "@plumbline/gateway"
 * import { EthMethods } from "@plumbline/eth-methods"
 * import * as Effect from "effect/Effect"
 *
 * const broken = new UpstreamError.UpstreamError({ reason: { _tag: "Unreachable", code: "ECONNREFUSED" } })
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
  members: ReadonlyArray<PoolNode>,
  options: PoolOptions
): Effect.fn.Return<Upstream, GatewayError, Scope.Scope> {
  const settings = yield* Effect.fromResult(PoolSettings.resolve(members, options))
  const clock = yield* Clock.Clock
  const offset = clock.currentTimeMillisUnsafe() - Monotonic.millis(clock)
  const pool = members.map(({ name, operator, upstream }, index) => {
    const node = { name, operator, upstream, ...settings.members[index]! }
    return new PoolMember(node, settings, offset)
  })
  const heads = new PoolHeads(pool, settings.pulse !== undefined)
  const probes = yield* PoolProbes.make(pool, settings, heads)
  const choice = PoolNodeRank.make(pool, settings.balance, heads, probes.refresh, yield* Random.Random)
  const ofChain = yield* PoolChainIdCheck.make(pool, settings)
  const tries = PoolFailover.make({ pool, settings, choice, heads, probes, ofChain, clock })
  const agreed = settings.quorum === undefined ? undefined : PoolQuorum.make(settings, choice, tries, ofChain)
  const table = PoolCall.table(options.methods)

  /** Returns what the pool knows about a method. A method that is not in the table does not count as a read. */
  const askingOf = (method: string): PoolCall.MethodFacts =>
    table.get(method) ?? PoolCall.foreign(method, isSubmission(method) ? "submission" : "other")

  const lookUp = (params: ReadonlyArray<unknown>) => PoolSubmittedTransaction.lookUp(params, pool, settings, tries)

  const pushing = pool.filter(({ upstream }) => upstream.subscribe !== undefined)
  const subscribing = PoolCall.foreign("eth_subscribe", "read").plain
  const subscribe: Subscribe = (params) =>
    tries.run({
      question: subscribing,
      ask: (member, left) => counted(member, bounded(member.upstream.subscribe!(params), left)),
      suits: (member) => pushing.includes(member)
    })

  const requestOf = (method: string, params: ReadonlyArray<unknown>): PoolRequest<Uint8Array, never> => ({
    question: PoolCall.of(askingOf(method), params),
    ask: (member, left) => callOf(member, method, params, left),
    bytesOf: identity,
    doubt: method === PoolSubmittedTransaction.SEND ? lookUp(params) : undefined
  })

  const call: UpstreamCall = (method, params) =>
    Effect.suspend(() => {
      const request = requestOf(method, params)
      return agreed !== undefined && settings.quorum?.methods.has(method) === true
        ? agreed(request.question, request.ask)
        : tries.run(request)
    })

  const plain: UpstreamCall["plain"] = (method, params, millis, done) => {
    // The time of a call in a pool is a setting of the pool.
    if (millis !== Infinity || settings.quorum?.methods.has(method) === true) return undefined
    return tries.plainly(
      requestOf(method, params),
      (member, left, told) => {
        const sent = member.upstream.call.plain?.(method, params, left, told)
        if (sent !== undefined) member.calls++
        return sent
      },
      done
    )
  }

  return {
    call: Object.assign(call, { plain }),
    subscribe: pushing.length === 0 ? undefined : subscribe,
    health: () => {
      const now = Monotonic.millis(clock)
      const at = clock.currentTimeMillisUnsafe()
      return pool.map((member) => member.health(now, at))
    }
  }
})

/**
 * True if a method submits a signed transaction, which can be sent again without taking effect twice. These are
 * `eth_sendRawTransaction` and Starknet's `add...Transaction` under any prefix.
 *
 * ```ts import.meta.vitest
 * import { UpstreamPool } from "@plumbline/gateway"
 *
 * UpstreamPool.isSubmission("starknet_addInvokeTransaction") // => true
 * UpstreamPool.isSubmission("eth_sendTransaction") // => false
 * ```
 */
export const isSubmission = (method: string): boolean => PoolCall.isSubmission(method)
