/**
 * Checks or proves the answers of nodes before they are passed on. It wraps an `Upstream` and returns an `Upstream`.
 *
 * An answer is passed on or refused. A proven answer gets the fields that the node left out and that follow from the
 * proof; everything else stays as the node wrote it. A refuted answer counts as a fault of its node, `Refuted`. The pool then
 * asks the next node, so that the caller gets a proven answer. `docs/reference/gateway-integrity.md` lists the checks.
 */
import type { CallEngine } from "@plumbline/eth-methods/call/CallEngine"
import type * as LaterForks from "@plumbline/eth-methods/model/LaterForks"
import * as EthEvidence from "@plumbline/eth-methods/proof/EthEvidence"
import type { RecoveryEngine } from "@plumbline/eth-methods/sender/SenderRecovery"
import type { TrustedBlock } from "@plumbline/eth-methods/trust/TrustedBlock"
import type { ErrorObject } from "@plumbline/jsonrpc-core/error/ErrorObject"
import * as Monotonic from "@plumbline/jsonrpc-core/time/Monotonic"
import type { Transport } from "@plumbline/jsonrpc-core/transport/Transport"
import * as ProviderReason from "@plumbline/provider/node/ProviderReason"
import * as ProviderRefusal from "@plumbline/provider/node/ProviderRefusal"
import * as Claim from "@plumbline/verdict/Claim"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Queue from "effect/Queue"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"

import type { GatewayError } from "../errors/GatewayError.ts"
import type { TrustedAnchor } from "../networks/Network.ts"
import type {
  AnswerVerdict as UpstreamVerdict,
  LieCount,
  LieDrill,
  UpstreamAnswer,
  UpstreamHealth,
  Subscribe,
  Upstream
} from "../networks/Upstream.ts"
import { UpstreamError } from "../networks/UpstreamError.ts"
import * as Setting from "../schema/Setting.ts"
import * as AnswerCheck from "./answerCheck.ts"
import * as AnswerProof from "./answerProof.ts"
import * as AnswerVerdict from "./answerVerdict.ts"
import * as CallQueue from "./CallQueue.ts"
import * as Faults from "./faults.ts"
import * as LogRanges from "./logRanges.ts"
import { isAside, NodeReputation } from "./nodeReputation.ts"
import * as NodeTransport from "./nodeTransport.ts"
import { OtherNodes } from "./otherNodes.ts"
import * as RunMethods from "./runMethods.ts"
import * as TrustedAnchors from "./trustedAnchor.ts"

/**
 * The depth of the checks. `check` makes all checks that need no further call. `prove` proves all answers that can be
 * proven, with further calls to the same node.
 */
export type IntegrityMode = "check" | "prove"

/** The settings of checks. */
export const fields = {
  unprovable: Setting.defaulted(
    Setting.literal(["refuse", "mark"], {
      description:
        "The handling of an answer that nothing proves, under prove. refuse: the caller gets an error. mark: it passes, as CLAIMED.",
      default: "refuse"
    })
  ),
  rest: Setting.defaulted(
    Setting.duration({
      description: "Time for which a node that lied is not asked, if the network has another node.",
      default: "10s"
    })
  ),
  logWork: Setting.defaulted(
    Setting.count({
      description:
        "Maximum work to prove the logs of one eth_getLogs, under prove: headers, plus receipts of blocks that may have such logs, plus kilobytes of logs. A call that needs more is refused with a smaller range to ask for.",
      default: 20_000
    })
  )
}

const settings = Schema.Struct(fields)

/**
 * The options for the nodes of one network. With either value of `unprovable`, `null` and advice such as a gas price
 * are passed on as CLAIMED; the mode `check` passes all such answers on. If a node lies again soon after its `rest`,
 * the next one is twice as long, up to ten minutes.
 */
export interface IntegrityOptions extends Setting.OptionsOf<typeof settings.Type> {
  /** The network's name, for logs. */
  readonly network: string
  readonly mode: IntegrityMode
  /** The chain's id, which is the answer to `eth_chainId`. */
  readonly chainId: bigint
  /**
   * Name of the consensus engine, if the network's blocks do not hash by Ethereum's rule. No block is then proven, and no
   * node is blamed for a hash. Default: found in each block.
   */
  readonly engine?: string | undefined
  /** Forks of the network that this version does not know. Default: none, and their blocks are claimed. */
  readonly forks?: LaterForks.LaterForks | undefined
  /** The source of the trusted blocks on which proofs are based. The mode `check` does not use it. */
  readonly trust: TrustedBlock["Service"]
  /**
   * The engine that recovers senders of transactions. The default, `SenderRecovery.standard`, takes about 0.2 ms for each.
   */
  readonly recovery?: RecoveryEngine | undefined
  /**
   * The engine that runs calls over proven state, in the mode `prove`. Its chain and hardforks must be the operator's
   * configuration, never a node's word. Without one, `eth_call` is unproven, and an estimate of gas is the node's word.
   * An engine in the thread of the gateway takes time from all other requests.
   */
  readonly calls?: CallEngine | undefined
  /**
   * Maximum time to prove the logs of one range, in milliseconds. Let it be shorter than the time for which a pool waits
   * for one node, because the pool blames a node for a late answer. Default: none.
   */
  readonly logTime?: number | undefined
  /** The queue of calls that are run. Give all networks the same one. Default: one of this network alone. */
  readonly callQueue?: CallQueue.CallQueue | undefined
  /**
   * The queue of ranges of logs that may need many reads, in the mode `prove`. Give all networks the same one. Default:
   * one of this network alone.
   */
  readonly logQueue?: CallQueue.CallQueue | undefined
}

/** The default options. Times are in milliseconds. */
export const defaults = Setting.defaultsOf(settings)

/** A node of the network, with its name in health reports and logs. */
export interface IntegrityNode {
  readonly name: string
  readonly upstream: Upstream
}

export type { LieCount } from "../networks/Upstream.ts"

/** The checked nodes of a network. */
export interface Integrity {
  /**
   * The nodes with their checks, in the given order. Pass a pool of these nodes to `around`, or the only node.
   */
  readonly members: ReadonlyArray<Upstream>
  /**
   * Returns the network's upstream, given the pool of the members or the only member. It answers `eth_chainId` from the
   * options. If a node answers `null`, it asks the other nodes. It adds the verdicts and the number of lies to the health of each node.
   */
  readonly around: (pool: Upstream) => Upstream
  /** Returns the lies of the nodes since the start. */
  readonly lies: () => ReadonlyArray<LieCount>
  /** Reads the trusted block on which proofs are based; undefined in the mode `check`. */
  readonly anchor: Effect.Effect<TrustedAnchor> | undefined
}

/**
 * Adds checks to the nodes of a network. Background work ends with the scope.
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
 * const fault = await Effect.runPromise(Effect.scoped(Effect.provide(program, TrustedBlock.layerNone())))
 * fault.message // => "the node's answer is refuted: transaction hash"
 * ```
 */
export const make = Effect.fnUntraced(function* (
  nodes: ReadonlyArray<IntegrityNode>,
  options: IntegrityOptions
): Effect.fn.Return<Integrity, GatewayError, Scope.Scope> {
  const { calls, chainId, engine, forks, logTime, mode, network, recovery, trust } = options
  const { logWork, rest, unprovable } = yield* Effect.fromResult(Setting.resolve(settings, options))
  const callQueue =
    mode === "check" || calls === undefined
      ? undefined
      : (options.callQueue ?? (yield* Effect.fromResult(CallQueue.make())))
  // calls must not wait for long ranges of logs, so these have a queue of their own
  const logQueue = mode === "check" ? undefined : (options.logQueue ?? (yield* Effect.fromResult(CallQueue.make())))
  const chain = { chainId, engine, forks }
  const clock = yield* Clock.Clock
  const standings = nodes.map(({ name }) => new NodeReputation(name, rest, nodes.length === 1))

  const checked: CheckedNodes = { network, standings, mode, unprovable }
  const members = yield* Effect.forEach(nodes, ({ name, upstream }, index) =>
    Effect.map(
      mode === "check"
        ? AnswerCheck.make(name, upstream, chain, recovery)
        : AnswerProof.make(name, upstream, { unprovable, chain, trust, recovery, calls, logWork, logTime }),
      (ask) => guarded(checked, standings[index]!, upstream, ask)
    )
  )

  const others = new OtherNodes(checked, members, clock)

  const ownId = AnswerVerdict.attach(encoder.encode(`"0x${chainId.toString(16)}"`), {
    word: "CLAIMED",
    claimed: [Claim.whole(ProviderReason.Configured({ chainId }))],
    anchor: undefined,
    anchorText: undefined,
    proven: [],
    isNull: false,
    by: "settings"
  })

  /** Counts an answer that a caller gets. Probes of the pool are not answers to callers. */
  const count = ({ verdict }: UpstreamAnswer): Effect.Effect<void> =>
    Effect.sync(() => standings.find(({ name }) => name === verdict?.by)?.passed(verdict?.word === "VERIFIED"))

  const around = (pool: Upstream): Upstream => {
    const call: Upstream["call"] = (method, params) =>
      method === CHAIN_ID ? Exit.succeed(ownId) : Effect.tap(answered(method, params), count)
    const answered: Upstream["call"] = (method, params) => {
      // a pool would blame its node for the time that a call waits for its turn
      const asked =
        callQueue !== undefined && RunMethods.isRun(method)
          ? callQueue.run(others.run(pool, method, params))
          : logQueue !== undefined && LogRanges.isLong(method, params)
            ? logQueue.run(pool.call(method, params))
            : pool.call(method, params)
      if (mode === "check" || nodes.length === 1 || !NAMED.test(method)) return asked
      return Effect.flatMap(asked, (answer): Effect.Effect<UpstreamAnswer, ErrorObject | UpstreamError> => {
        const { verdict } = answer
        return verdict?.word === "CLAIMED" && (verdict.isNull || method === BY_HASH)
          ? others.found(method, params, answer, verdict.by, pool)
          : Exit.succeed(answer)
      })
    }
    const { health, subscribe } = pool
    return {
      call,
      ...(mode === "prove" ? { isVouched: AnswerVerdict.isVouched } : {}),
      ...(subscribe === undefined ? {} : { subscribe }),
      ...(health === undefined ? {} : { health: () => health().map((one) => withFindings(one)) })
    }
  }

  const withFindings = (health: UpstreamHealth): UpstreamHealth => {
    const standing = standings.find(({ name }) => name === health.name)
    if (standing === undefined) return health
    const { lies, verdicts } = standing
    if (lies === undefined) return { ...health, verdicts }
    const at = clock.currentTimeMillisUnsafe()
    const now = Monotonic.millis(clock)
    const { isLying, ...trust } = standing.trust(at, now)
    // refuted answers also take a node down in its pool; one that does not answer at all is down
    const isGone = health.state === "down" && health.lastError?.kind !== "Refuted"
    if (health.state === "wrong" || isGone || !isLying) return { ...health, ...trust, verdicts, lies }
    return {
      ...health,
      state: "lies",
      problem: `its answer was refuted: ${standing.refuted}`,
      ...(isAside(standings, standing, now)
        ? { isAside: true, nextAttemptAt: Math.round(at + standing.restLeft(now)) }
        : {}),
      verdicts,
      lies
    }
  }

  return {
    members,
    around,
    anchor: mode === "check" ? undefined : TrustedAnchors.of(trust),
    lies: () => {
      const at = clock.currentTimeMillisUnsafe()
      const now = Monotonic.millis(clock)
      return standings.flatMap((standing) => {
        const trust = standing.trust(at, now)
        const aside = isAside(standings, standing, now) ? { asideUntil: Math.round(at + standing.restLeft(now)) } : {}
        return standing.counts(now).map((count) => ({ node: standing.name, ...count, ...trust, ...aside }))
      })
    }
  }
})

/** Returns the transport to a node, for a source of trust that asks nodes, such as a quorum. */
export const transportOf: (upstream: Upstream) => Transport["Service"] = NodeTransport.make

/**
 * Returns a function that marks the current call to a node: an operator ordered the service to change an answer of it. If
 * the call is refuted, the lie is counted as one of this drill.
 */
export const drillMark: Effect.Effect<(drill: LieDrill) => void> = Effect.map(
  NodeTransport.Current,
  (record) => (drill) => {
    record.drill = drill
  }
)

/** The nodes of a network, and how they are checked. */
interface CheckedNodes {
  readonly network: string
  readonly standings: ReadonlyArray<NodeReputation>
  readonly mode: IntegrityMode
  readonly unprovable: "refuse" | "mark"
}

/** True if an answer passed a check, and no proof can add to it: a hash of what was sent, or the configured chain. */
const isChecked = ({ reason }: Claim.Claim): boolean =>
  ProviderReason.Accepted.is(reason) || ProviderReason.Configured.is(reason)

const report = (
  network: string,
  standing: NodeReputation,
  { drill, fault: { reason }, method, params }: ReportedLie
): Effect.Effect<void> =>
  Effect.clockWith((clock) => {
    if (reason._tag !== "Refuted") return Effect.void
    const { block, check, expected, got } = reason
    const details = { block, drill, expected, got, params }
    return standing.lied(method, check, clock.currentTimeMillisUnsafe(), Monotonic.millis(clock), details)
      ? Effect.annotateLogs(Effect.logWarning("a node's answer is refuted"), {
          network,
          node: standing.name,
          method,
          check,
          ...(drill === undefined ? {} : { orderedBy: drill.by })
        })
      : Effect.void
  })

/** A call whose answer was refuted. */
interface ReportedLie {
  readonly method: string
  readonly params: ReadonlyArray<unknown>
  readonly fault: UpstreamError
  readonly drill: LieDrill | undefined
}

/** Milliseconds after an order's end in which a shared read of its time can still be refuted. */
const SHARED = 10_000

/** A call that is asked of a node, with its record. */
interface AskedCall extends Pick<ReportedLie, "method" | "params"> {
  readonly record: NodeTransport.AnswerLedger
}

/** Returns a node with its checks. */
const guarded = (
  { mode, network, standings, unprovable }: CheckedNodes,
  standing: NodeReputation,
  upstream: Upstream,
  ask: AnswerProof.AskProven
): Upstream => {
  let lie: UpstreamError | undefined
  /** The last refutation in a call of which an order changed an answer. */
  let ordered: { readonly values: string; readonly drill: LieDrill } | undefined
  /** Returns the order of a lie. Calls that share a read are refuted alike, and only one of them is marked. */
  const drillOf = (record: NodeTransport.AnswerLedger, ...compared: ReadonlyArray<string>) => {
    const values = JSON.stringify(compared)
    if (record.drill !== undefined) {
      ordered = { values, drill: record.drill }
      return Effect.succeed(record.drill)
    }
    // the call that is marked may end after this one
    return Effect.andThen(
      Effect.yieldNow,
      Effect.map(Clock.currentTimeMillis, (at) =>
        ordered?.values === values && at <= ordered.drill.until + SHARED ? ordered.drill : undefined
      )
    )
  }
  const noted = ({ method, params, record }: AskedCall, fault: UpstreamError | undefined): Effect.Effect<void> => {
    if (fault?.reason._tag !== "Refuted") return Effect.void
    lie = fault
    const { check, expected, got } = fault.reason
    return Effect.flatMap(drillOf(record, check, expected, got), (drill) =>
      report(network, standing, { method, params, fault, drill })
    )
  }
  /**
   * True if an answer passed the checks that could have refuted it: it is proven, or there is no more to check. Another
   * node can tell that an unproven `null` is a lie.
   */
  const isSound = (verdict: UpstreamVerdict | undefined): boolean =>
    verdict !== undefined &&
    (verdict.word === "VERIFIED" || (!verdict.isNull && (mode === "check" || verdict.claimed.every(isChecked))))
  /** Records a lie in an answer. Any other answer is passed to `onPassed`. */
  const watched = (
    call: AskedCall,
    onPassed?: (verdict: UpstreamVerdict | undefined) => void
  ): ReturnType<Upstream["call"]> =>
    ask(call.method, call.params, call.record).pipe(
      Effect.tap(({ verdict }) => {
        const repair = repairOf(verdict)
        if (repair !== undefined) return noted(call, repair)
        onPassed?.(verdict)
        return Effect.void
      }),
      Effect.tapError((error) => (error instanceof UpstreamError ? noted(call, error) : Effect.void))
    )
  const call: Upstream["call"] = (method, params) =>
    // the pool itself checks the chain id, and sends no calls to a node of another chain
    method === CHAIN_ID
      ? upstream.call(method, params)
      : Effect.clockWith((clock) => {
          const before = lie
          const asked = Monotonic.millis(clock)
          const own: AskedCall = { method, params, record: NodeTransport.ledger() }
          if (before === undefined) return watched(own)
          if (isAside(standings, standing, asked)) return Exit.fail(before)
          return watched(own, (verdict) => {
            if (!isSound(verdict)) return
            standing.answered(method, asked, clock.currentTimeMillisUnsafe(), Monotonic.millis(clock))
          })
        })
  const { subscribe } = upstream
  return subscribe === undefined ? { call } : { call, subscribe: hinting(subscribe, mode, unprovable) }
}

/**
 * Returns the lie of a node whose own logs were replaced by proven ones; undefined if there is none. The answer passes,
 * because it is proven.
 */
const repairOf = (verdict: UpstreamVerdict | undefined): UpstreamError | undefined => {
  const repaired = verdict?.proven.find(EthEvidence.LogsRepaired.is)
  return repaired === undefined ? undefined : Faults.refuted(repaired)
}

const CHAIN_ID = "eth_chainId"

/** The method whose answer can be a pending transaction, which nothing proves to be pending. */
const BY_HASH = "eth_getTransactionByHash"

/** Matches the methods whose answer `null` means that the node does not have the requested thing. */
const NAMED = /^eth_get(?:Block|Transaction|Uncle)/u

/**
 * Wraps the subscriptions of a node, because a pushed message proves nothing. A new head becomes a hint without
 * content: its reader then asks for the head, and gets a checked answer. Other messages are only claimed, so the mode
 * `prove` refuses subscriptions to them unless `unprovable` is `mark`.
 */
const hinting =
  (subscribe: Subscribe, mode: IntegrityMode, unprovable: "refuse" | "mark"): Subscribe =>
  (params) =>
    params[0] === "newHeads"
      ? Effect.gen(function* () {
          const pushed = yield* subscribe(params)
          const hints = yield* Queue.sliding<Uint8Array, UpstreamError>(1)
          const pump = Effect.forever(Effect.andThen(Queue.take(pushed), Queue.offer(hints, HINT)))
          yield* Effect.forkScoped(Effect.catchCause(pump, (cause) => Queue.failCause(hints, cause)))
          return hints
        })
      : mode === "prove" && unprovable === "refuse"
        ? Effect.fail(ProviderRefusal.unproven("eth_subscribe", []))
        : subscribe(params)

const encoder = new TextEncoder()

/** The message that replaces a pushed head. Its reader then asks for the head. */
const HINT = encoder.encode("null")
