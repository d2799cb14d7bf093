/**
 * Nodes whose answers are checked or proven before they are passed on: an `Upstream` made of an `Upstream`.
 *
 * An answer is passed or refused, never changed. A refuted one is the fault `Refuted` of its node, so a pool asks the
 * next node, and the caller gets an answer that is proven. `docs/reference/gateway-integrity.md` has the tables.
 */
import type { Engine } from "@plumbline/eth-methods/sender/SenderRecovery"
import type { TrustedBlock } from "@plumbline/eth-methods/trust/TrustedBlock"
import type { ErrorObject } from "@plumbline/jsonrpc-core/error/ErrorObject"
import type { Transport } from "@plumbline/jsonrpc-core/transport/Transport"
import * as ProviderReason from "@plumbline/provider/node/ProviderReason"
import * as Refusal from "@plumbline/provider/node/Refusal"
import * as Claim from "@plumbline/verdict/Claim"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"

import * as Monotonic from "../clock/monotonic.ts"
import type { TrustedAnchor } from "../networks/Network.ts"
import type { LieCount, Health, Subscribe, Upstream } from "../networks/Upstream.ts"
import { UpstreamFault } from "../networks/UpstreamFault.ts"
import * as Anchor from "./anchor.ts"
import * as AnswerVerdict from "./answerVerdict.ts"
import * as Check from "./check.ts"
import * as NodeTransport from "./nodeTransport.ts"
import * as Prove from "./prove.ts"
import { Standing } from "./standing.ts"

/**
 * The depth of the checks. `check` makes all checks that need no further call. `prove` proves everything that can be
 * proven, by further calls to the same node.
 */
export type Mode = "check" | "prove"

/** The settings of a network's integrity. */
export interface Options {
  /** The network's name, for logs. */
  readonly network: string
  readonly mode: Mode
  /** The chain's id, with which `eth_chainId` is answered. */
  readonly chainId: bigint
  /** The block that proofs end at. Under `check` it is not asked. */
  readonly trust: TrustedBlock["Service"]
  /**
   * Under `prove`, the fate of an answer that nothing proves. `null` and advice, such as a gas price, pass under both,
   * marked. Under `check` such answers pass. Default: `refuse`.
   */
  readonly unprovable?: "refuse" | "mark" | undefined
  /** The engine that recovers senders of transactions. Default: `SenderRecovery.noble`, a millisecond for each. */
  readonly recovery?: Engine | undefined
  /**
   * Time for which a node that lied is not asked while another node is left. It doubles, up to ten minutes, for a node
   * that lies again soon. Default: 10 seconds.
   */
  readonly rest?: Duration.Input | undefined
}

/** The defaults of the options. Times are in milliseconds. */
export const defaults: { readonly unprovable: "refuse" | "mark"; readonly rest: number } = {
  unprovable: "refuse",
  rest: 10_000
}

/** A node of the network, by its name in health and logs. */
export interface Member {
  readonly name: string
  readonly upstream: Upstream
}

export type { LieCount } from "../networks/Upstream.ts"

/** The integrity of a network. */
export interface Integrity {
  /**
   * The nodes, in the given order, each behind its checks. Pass the pool of these nodes, or the only one, to `around`.
   */
  readonly members: ReadonlyArray<Upstream>
  /**
   * Returns the network's upstream, from the pool of the members or the only member: it answers `eth_chainId` from the
   * settings, asks a second node where the first one answers `null`, and adds the lies to the health of the nodes.
   */
  readonly around: (pool: Upstream) => Upstream
  /** Returns the lies of nodes so far. */
  readonly lies: () => ReadonlyArray<LieCount>
  /** The block that proofs end at; undefined under `check`. */
  readonly anchor: Effect.Effect<TrustedAnchor> | undefined
}

/**
 * Puts checks around the nodes of a network. Background work ends with the scope.
 *
 * ```ts import.meta.vitest
 * import { Integrity } from "@plumbline/gateway"
 * import { TrustedBlock } from "@plumbline/eth-methods"
 * import * as Effect from "effect/Effect"
 *
 * // the node says that another transaction was sent
 * const liar = { call: () => Effect.succeed(new TextEncoder().encode(`"0x${"ab".repeat(32)}"`)) }
 * const program = Effect.gen(function* () {
 *   const trust = yield* TrustedBlock.TrustedBlock
 *   const { around, members } = yield* Integrity.make([{ name: "own", upstream: liar }], {
 *     network: "mainnet",
 *     mode: "check",
 *     chainId: 1n,
 *     trust
 *   })
 *   return yield* Effect.flip(around(members[0]!).call("eth_sendRawTransaction", ["0x01"]))
 * })
 * const fault = await Effect.runPromise(Effect.scoped(Effect.provide(program, TrustedBlock.layerNone)))
 * fault.message // => "the node's answer is refuted: transaction hash"
 * ```
 */
export const make = Effect.fnUntraced(function* (
  nodes: ReadonlyArray<Member>,
  options: Options
): Effect.fn.Return<Integrity, never, Scope.Scope> {
  const { chainId, mode, network, recovery, trust, unprovable = defaults.unprovable } = options
  const rest = Duration.toMillis(options.rest ?? defaults.rest)
  const clock = yield* Clock.Clock
  const standings = nodes.map(({ name }) => new Standing(name, rest))

  /** True if a node rests, and another does not: one that is alone is asked, since each answer is checked anyway. */
  const isAside = (standing: Standing, now: number): boolean =>
    standing.isResting(now) && standings.some((other) => !other.isResting(now))

  const report = (standing: Standing, method: string, fault: UpstreamFault): Effect.Effect<void> =>
    Effect.clockWith((clock) => {
      const { reason } = fault
      if (reason._tag !== "Refuted") return Effect.void
      return standing.lied(method, reason.check, clock.currentTimeMillisUnsafe(), Monotonic.millisOf(clock))
        ? Effect.annotateLogs(Effect.logWarning("a node's answer is refuted"), {
            network,
            node: standing.name,
            method,
            check: reason.check
          })
        : Effect.void
    })

  /** A member behind its checks. */
  const guarded = (standing: Standing, upstream: Upstream, ask: Prove.Ask): Upstream => {
    let lie: UpstreamFault | undefined
    const call: Upstream["call"] = (method, params) =>
      // the pool reads the id itself, and a node of another chain gets no calls
      method === CHAIN_ID
        ? upstream.call(method, params)
        : Effect.clockWith((clock) =>
            lie !== undefined && isAside(standing, Monotonic.millisOf(clock))
              ? Exit.fail(lie)
              : Effect.tapError(ask(method, params), (error) => {
                  if (!(error instanceof UpstreamFault) || error.reason._tag !== "Refuted") return Effect.void
                  lie = error
                  return report(standing, method, error)
                })
          )
    const { subscribe } = upstream
    return subscribe === undefined ? { call } : { call, subscribe: hinting(subscribe, mode, unprovable) }
  }

  const members = yield* Effect.forEach(nodes, ({ name, upstream }, index) =>
    Effect.map(
      mode === "check"
        ? Check.make(name, upstream, recovery)
        : Prove.make(name, upstream, { unprovable, trust, recovery }),
      (ask) => guarded(standings[index]!, upstream, ask)
    )
  )

  /**
   * Asks the other nodes that are well where one answered `null`. If one of them proves that there is something, the
   * first withheld it, or is behind.
   */
  const found = Effect.fnUntraced(function* (
    method: string,
    params: ReadonlyArray<unknown>,
    first: Uint8Array,
    by: string,
    pool: Upstream
  ): Effect.fn.Return<Uint8Array> {
    const states = new Map(pool.health?.().map(({ name, state }) => [name, state]))
    const clock = yield* Clock.Clock
    const now = Monotonic.millisOf(clock)
    for (const [index, standing] of standings.entries()) {
      const state = states.get(standing.name)
      if (standing.name === by || state === "down" || state === "wrong" || isAside(standing, now)) continue
      const asked = Effect.timeoutOption(members[index]!.call(method, params), SECOND_LOOK)
      const answer = yield* Effect.orElseSucceed(asked, () => undefined)
      if (answer?._tag !== "Some") continue
      const verdict = AnswerVerdict.get(answer.value)
      if (verdict?.word !== "VERIFIED" || verdict.isNull) continue
      const other = standings.find(({ name }) => name === by)!
      if (other.note(method, WITHHELD, clock.currentTimeMillisUnsafe())) {
        yield* Effect.annotateLogs(Effect.logWarning("a node lacks what another one proves"), {
          network,
          node: by,
          method
        })
      }
      return answer.value
    }
    return first
  })

  const chain = AnswerVerdict.attach(encoder.encode(`"0x${chainId.toString(16)}"`), {
    word: "CLAIMED",
    claimed: [Claim.whole(ProviderReason.Configured({ chainId }))],
    anchor: undefined,
    proven: [],
    isNull: false,
    by: "settings"
  })

  const around = (pool: Upstream): Upstream => {
    const call: Upstream["call"] = (method, params) => {
      if (method === CHAIN_ID) return Exit.succeed(chain)
      const asked = pool.call(method, params)
      if (mode === "check" || nodes.length === 1 || !NAMED.test(method)) return asked
      return Effect.flatMap(asked, (answer): Effect.Effect<Uint8Array, ErrorObject | UpstreamFault> => {
        const verdict = AnswerVerdict.get(answer)
        return verdict?.isNull === true ? found(method, params, answer, verdict.by, pool) : Exit.succeed(answer)
      })
    }
    const { health, subscribe } = pool
    return {
      call,
      ...(subscribe === undefined ? {} : { subscribe }),
      ...(health === undefined ? {} : { health: () => health().map((one) => withLies(one)) })
    }
  }

  const withLies = (health: Health): Health => {
    const standing = standings.find(({ name }) => name === health.name)
    if (standing?.lies === undefined) return health
    const { lies } = standing
    return isAside(standing, Monotonic.millisOf(clock)) && health.state !== "wrong"
      ? { ...health, state: "down", problem: `its answer was refuted: ${lies.last.check}`, lies }
      : { ...health, lies }
  }

  return {
    members,
    around,
    anchor: mode === "check" ? undefined : Anchor.of(trust),
    lies: () => standings.flatMap(({ counts, name }) => counts.map((count) => ({ node: name, ...count })))
  }
})

/** Returns the transport to a node, for a trust that asks nodes itself, such as a quorum. */
export const transportOf: (upstream: Upstream) => Transport["Service"] = NodeTransport.make

const CHAIN_ID = "eth_chainId"

/** The check of an answer `null` where another node proves that there is something. */
const WITHHELD = "absent"

/** Milliseconds for another node to prove a thing that the first node lacks. */
const SECOND_LOOK = 2000

/** Methods whose answer `null` says that the node does not have something. */
const NAMED = /^eth_get(?:Block|Transaction|Uncle)/u

/**
 * A pushed message proves nothing. A new head is only a hint: its reader asks for the head, and gets a checked one.
 * Pending transactions are the node's word.
 */
const hinting =
  (subscribe: Subscribe, mode: Mode, unprovable: "refuse" | "mark"): Subscribe =>
  (params) =>
    params[0] === "newHeads"
      ? Effect.gen(function* () {
          const pushed = yield* subscribe(params)
          const hints = yield* Queue.sliding<Uint8Array, UpstreamFault>(1)
          const pump = Effect.forever(Effect.andThen(Queue.take(pushed), Queue.offer(hints, HINT)))
          yield* Effect.forkScoped(Effect.catchCause(pump, (cause) => Queue.failCause(hints, cause)))
          return hints
        })
      : mode === "prove" && unprovable === "refuse"
        ? Effect.fail(Refusal.unproven("eth_subscribe", []))
        : subscribe(params)

const encoder = new TextEncoder()

/** An event without a head: its reader then asks for the head. */
const HINT = encoder.encode("null")
