/** Prevents calls to nodes of another chain. For that, it asks each node for its chain id. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"

import { UpstreamError } from "../UpstreamError.ts"
import * as PoolHeight from "./height.ts"
import { type AskNode, type NodeEffect, bounded, callOf, type NodeFailure, isFaultOfNode } from "./nodeCall.ts"
import type { PoolMember } from "./poolMember.ts"
import type { ResolvedPoolSettings } from "./poolSettings.ts"

/**
 * Asks a node within a time. Fails if the node belongs to another chain. If its chain is unknown, waits for the probe of
 * its id first. A node has at most one such probe at a time: its callers share it, and it goes on when they leave.
 */
export type ChainIdCheck = <A, R>(member: PoolMember, ask: AskNode<A, R>, left: number) => NodeEffect<A, R>

export const make = Effect.fnUntraced(function* (
  pool: ReadonlyArray<PoolMember>,
  { chain, tryTimeout }: ResolvedPoolSettings
): Effect.fn.Return<ChainIdCheck, never, Scope.Scope> {
  if (chain === undefined) return (member, ask, left) => ask(member, left)

  const fork = Effect.runForkWith(yield* Effect.context<Scope.Scope>())
  const scope = yield* Effect.scope
  const underWay = new Map<PoolMember, Fiber.Fiber<void, NodeFailure>>()

  const probe = Effect.fnUntraced(function* (member: PoolMember): Effect.fn.Return<void, NodeFailure> {
    const asked = callOf(member, chain.method, [], tryTimeout)
    const found = yield* Effect.catch(Effect.map(asked, PoolHeight.readId), (error: NodeFailure) => {
      if (!isFaultOfNode(error)) return Exit.succeed(chain.id)
      // A fault of its own, because a node may fail several calls with one object.
      const fault = new UpstreamError({ reason: error.reason })
      member.probed = { fault, isJudged: false }
      return Exit.fail(fault)
    })
    const before = member.wrong
    member.isChecked = true
    if (found === chain.id) {
      member.wrong = undefined
      if (before !== undefined)
        yield* Effect.annotateLogs(Effect.logInfo("a node belongs to the right chain again"), { node: member.name })
      return
    }
    const reason = {
      _tag: "WrongChain",
      expected: shown(chain.id),
      found: found === undefined ? null : shown(found)
    } as const
    member.wrong = new UpstreamError({ reason })
    if (before?.message === member.wrong.message) return
    yield* Effect.annotateLogs(Effect.logError("a node gets no calls", member.wrong.message), { node: member.name })
  })

  const identify = (member: PoolMember): Effect.Effect<void, NodeFailure> =>
    Effect.suspend(() => {
      const running = underWay.get(member)
      if (running !== undefined) return Fiber.join(running)
      const fiber = Fiber.runIn(fork(probe(member)), scope)
      underWay.set(member, fiber)
      fiber.addObserver(() => underWay.delete(member))
      return Fiber.join(fiber)
    })

  const round = Effect.forEach(pool, (member) => Effect.ignore(identify(member)), {
    concurrency: "unbounded",
    discard: true
  })
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(round, Effect.sleep(chain.every))))

  return (member, ask, left) => {
    if (member.wrong !== undefined) return Exit.fail(member.wrong)
    if (member.isChecked) return ask(member, left)
    const asked = Effect.andThen(
      identify(member),
      Effect.suspend(() => (member.wrong === undefined ? ask(member, left) : Exit.fail(member.wrong)))
    )
    return bounded(asked, left)
  }
})

/** Returns a chain id as nodes of Ethereum and Starknet write it. */
const shown = (id: bigint): string => `0x${id.toString(16)}`
