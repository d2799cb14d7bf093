/**
 * Several beacon nodes of one network. If a node fails or is refuted, the next one is asked.
 *
 * The nodes are not trusted, and one honest node is enough. Failures are counted under the name of the node.
 */
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import { RefutedError } from "@plumbline/verdict/RefutedError"
import type * as Arr from "effect/Array"
import * as EffectClock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import type * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"

import * as Clock from "../network/Clock.ts"
import * as Fork from "../network/Fork.ts"
import type * as Network from "../network/Network.ts"
import { BeaconApiError, type BeaconApiCall, OtherChainError, UnknownForkError } from "./BeaconApiError.ts"
import type * as BeaconEndpoint from "./beaconEndpoint.ts"
import * as BeaconNode from "./BeaconNode.ts"

export type { BeaconNode, BeaconNodeFailure } from "./BeaconNode.ts"
export { defaults, type BeaconEndpoint } from "./beaconEndpoint.ts"

/** The nodes to ask and their network. */
export interface BeaconNodesOptions {
  readonly network: Network.Network
  /** The nodes, in the order in which they are asked. */
  readonly nodes: Arr.NonEmptyReadonlyArray<BeaconEndpoint.BeaconEndpoint>
}

/** The numbers of calls to a node since the start. */
export interface BeaconNodeHealth {
  /** The name of the node. It holds no key. */
  readonly name: string
  readonly asked: number
  /** Number of calls without an answer. */
  readonly failed: number
  /** Number of answers that failed a check. */
  readonly refuted: number
  /** The last failure or refutation. */
  readonly last: BeaconNode.BeaconNodeFailure | undefined
  /** The last refutation. */
  readonly lie?: RefutedError | undefined
}

/** A fork that the network's schedule does not have, or that this version does not know. */
export interface UnknownFork {
  readonly name: string
  readonly epoch: bigint
  /** The name of the beacon node that told it, or `schedule` if the network's own schedule has the fork. */
  readonly by: string
}

/** A question to a node, with all checks of its answer. Its failure is the node's failure. */
export type BeaconNodeRequest<A> = (node: BeaconNode.BeaconNode) => Effect.Effect<A, BeaconNode.BeaconNodeFailure>

/** The nodes, and their failures. */
export interface Nodes {
  readonly network: Network.Network
  /**
   * Asks one node after the other until one answers, starting with the node that answered last. After an insufficient
   * answer it asks the next node, and returns the insufficient answer if no better one comes.
   *
   * Fails with the `worst` failure if none of the nodes answers.
   */
  readonly first: <A>(
    ask: BeaconNodeRequest<A>,
    isEnough?: (answer: A) => boolean
  ) => Effect.Effect<A, BeaconNode.BeaconNodeFailure>
  /** Asks all nodes at once, and returns their outcomes in the order of the nodes. */
  readonly all: <A>(
    ask: BeaconNodeRequest<A>
  ) => Effect.Effect<
    ReadonlyArray<{ readonly name: string; readonly outcome: Result.Result<A, BeaconNode.BeaconNodeFailure> }>
  >
  /**
   * Counts a refutation that was found after the answer, and returns it with the name of the node. Returns a
   * `BeaconApiError` instead, reason `UnknownForkError`, if the answer may be of a fork that this version does not know.
   */
  readonly blame: (name: string, refuted: RefutedError) => Effect.Effect<BeaconNode.BeaconNodeFailure>
  /**
   * Fails if a node's answer is of a slot that has begun and whose fork this version does not know, because nothing can
   * be said about it.
   */
  readonly known: (
    name: string,
    call: BeaconApiCall,
    slot: bigint,
    presentSlot: bigint
  ) => Effect.Effect<void, BeaconApiError>
  /** Does some work, and also returns the lie that a node told meanwhile: see `lieBetween`. */
  readonly watched: <A, E>(
    work: Effect.Effect<A, E>
  ) => Effect.Effect<{ readonly outcome: A; readonly lie: RefutedError | undefined }, E>
  /** Asks the nodes for forks that the network's schedule does not have, the earliest first. They are hints. */
  readonly unknownForks: Effect.Effect<ReadonlyArray<UnknownFork>>
  /** A question to each node: true if the node answers at all. These questions do not count in `health`. */
  readonly pulses: ReadonlyArray<{ readonly name: string; readonly answers: Effect.Effect<boolean> }>
  /** The numbers of calls to each node, in the order of the nodes. */
  readonly health: Effect.Effect<ReadonlyArray<BeaconNodeHealth>>
}

/** The service. */
export class BeaconNodes extends Context.Service<BeaconNodes, Nodes>()("@plumbline/beacon-light-client/BeaconNodes") {}

/** Provides the nodes over the `HttpClient` of the program. Fails if an endpoint is invalid. */
export const layer = (options: BeaconNodesOptions): Layer.Layer<BeaconNodes, BeaconApiError, HttpClient.HttpClient> =>
  Layer.effect(
    BeaconNodes,
    Effect.map(
      Effect.forEach(options.nodes, (endpoint) => BeaconNode.make(endpoint, options.network)),
      (nodes) => make(distinct(nodes), options.network)
    )
  )

/**
 * Provides the nodes over the `fetch` of the platform.
 *
 * ```ts import.meta.vitest
 * import { BeaconNodes, Network } from "@plumbline/beacon-light-client"
 * import { Effect } from "effect"
 *
 * const layer = BeaconNodes.layerFetch({
 *   network: Network.mainnet,
 *   nodes: [{ url: "https://beacon.example/<API_KEY>" }, { url: "https://other.example", name: "the other" }]
 * })
 * const names = BeaconNodes.BeaconNodes.use(({ health }) => Effect.map(health, (all) => all.map(({ name }) => name)))
 * Effect.runSync(Effect.provide(names, layer)) // => ["https://beacon.example", "the other"]
 * ```
 */
export const layerFetch = (
  options: BeaconNodesOptions & { readonly fetch?: typeof globalThis.fetch | undefined }
): Layer.Layer<BeaconNodes, BeaconApiError> => {
  const services = Layer.mergeAll(
    Layer.succeed(FetchHttpClient.RequestInit, { redirect: "manual" }),
    options.fetch === undefined ? Layer.empty : Layer.succeed(FetchHttpClient.Fetch, options.fetch)
  )
  return layer(options).pipe(Layer.provide(FetchHttpClient.layer.pipe(Layer.provide(services))))
}

/** Returns the nodes with distinct names. Adds a number to equal names, such as those of two keys at one provider. */
const distinct = (nodes: ReadonlyArray<BeaconNode.BeaconNode>): ReadonlyArray<BeaconNode.BeaconNode> =>
  nodes.map((node, at) => {
    const before = nodes.slice(0, at).filter(({ name }) => name === node.name).length
    return before === 0 ? node : { ...node, name: `${node.name} #${before + 1}` }
  })

/** Returns the nodes as a value, over nodes of any kind. Their names must differ. */
export const make = (nodes: ReadonlyArray<BeaconNode.BeaconNode>, network: Network.Network): Nodes => {
  const calls = new Map(nodes.map(({ name }): [string, BeaconNodeHealth] => [name, { name, ...UNASKED }]))
  let preferred = 0

  const note = (name: string, failure: BeaconNode.BeaconNodeFailure | undefined, asked: number): void => {
    const { last, lie, ...counts } = calls.get(name)!
    const isRefuted = failure instanceof RefutedError
    calls.set(name, {
      name,
      asked: counts.asked + asked,
      failed: counts.failed + (failure === undefined || isRefuted ? 0 : 1),
      refuted: counts.refuted + (isRefuted ? 1 : 0),
      last: failure ?? last,
      lie: isRefuted ? failure : lie
    })
  }

  /**
   * Returns the failure for an answer that a check refuted. A node is excused if it says that it follows another chain, or
   * a fork that this version does not know: it sent the truth, and the reader's settings do not fit.
   */
  const judged = Effect.fnUntraced(function* (
    name: string,
    failure: BeaconNode.BeaconNodeFailure
  ): Effect.fn.Return<BeaconNode.BeaconNodeFailure> {
    if (!(failure instanceof RefutedError)) return failure
    const named = by(name, failure)
    const node = nodes.find((node) => node.name === name)!
    const otherChain = DEPENDS_ON_CHAIN.has(failure.check) ? yield* otherChainOf(network, node) : undefined
    if (otherChain !== undefined) return otherChain
    if (!DEPENDS_ON_FORK.has(failure.check)) return named
    const epoch = Clock.epochOf(network, Clock.slotAt(network, (yield* EffectClock.currentTimeMillis) / 1000))
    const begun = (yield* unknownOf(network, node)).find((fork) => fork.epoch <= epoch)
    return begun === undefined ? named : unknownFork(name, "spec", begun.name)
  })

  const asked = Effect.fnUntraced(function* <A>(
    node: BeaconNode.BeaconNode,
    ask: BeaconNodeRequest<A>
  ): Effect.fn.Return<Result.Result<A, BeaconNode.BeaconNodeFailure>> {
    const outcome = yield* Effect.result(ask(node))
    const named = Result.isSuccess(outcome) ? outcome : Result.fail(yield* judged(node.name, outcome.failure))
    note(node.name, Result.isFailure(named) ? named.failure : undefined, 1)
    return named
  })

  const first: Nodes["first"] = Effect.fnUntraced(function* (ask, isEnough = () => true) {
    const failures: Array<BeaconNode.BeaconNodeFailure> = []
    const start = preferred
    let fallback: Result.Success<Effect.Success<ReturnType<typeof ask>>, never> | undefined
    for (let tried = 0; tried < nodes.length; tried++) {
      const at = (start + tried) % nodes.length
      const outcome = yield* asked(nodes[at]!, ask)
      if (Result.isFailure(outcome)) failures.push(outcome.failure)
      else if (isEnough(outcome.success)) {
        preferred = at
        return outcome.success
      } else fallback ??= outcome as never
    }
    return fallback === undefined ? yield* Effect.fail(worst(failures)) : fallback.success
  })

  return {
    network,
    first,
    all: (ask) =>
      Effect.forEach(nodes, (node) => Effect.map(asked(node, ask), (outcome) => ({ name: node.name, outcome })), {
        concurrency: "unbounded"
      }),
    blame: (name, refuted) => Effect.tap(judged(name, refuted), (failure) => Effect.sync(() => note(name, failure, 0))),
    known: (name, call, slot, presentSlot) => {
      const fork = slot > presentSlot ? undefined : Clock.unknownForkAt(network, slot)
      return fork === undefined ? Effect.void : Effect.fail(unknownFork(name, call, fork))
    },
    watched: Effect.fnUntraced(function* (work) {
      const before = [...calls.values()]
      const outcome = yield* work
      return { outcome, lie: lieBetween(before, [...calls.values()]) }
    }),
    unknownForks: Effect.map(
      Effect.forEach(nodes, (node) => unknownOf(network, node), { concurrency: "unbounded" }),
      (found) => {
        const own = network.forks.flatMap(({ epoch, name }) =>
          Fork.isFork(name) ? [] : [{ name, epoch, by: "schedule" }]
        )
        return [...own, ...found.flat()].toSorted((a, b) => (a.epoch < b.epoch ? -1 : a.epoch > b.epoch ? 1 : 0))
      }
    ),
    pulses: nodes.map(({ alive = Effect.void, name }) => ({
      name,
      answers: Effect.match(alive, { onSuccess: () => true, onFailure: () => false })
    })),
    health: Effect.sync(() => [...calls.values()])
  }
}

/** Returns the forks of a node's configuration that come after all forks of the network's schedule. */
const unknownOf = (network: Network.Network, { name, schedule = NO_SCHEDULE }: BeaconNode.BeaconNode) => {
  const known = network.forks.at(-1)!
  return Effect.map(
    Effect.orElseSucceed(schedule, () => []),
    (forks): ReadonlyArray<UnknownFork> =>
      forks.flatMap((fork) =>
        network.forks.some((one) => one.name === fork.name) || fork.epoch < known.epoch ? [] : [{ ...fork, by: name }]
      )
  )
}

/** Returns the failure for a node of another chain; undefined for any other node. */
const otherChainOf = /* @__PURE__ */ Effect.fnUntraced(function* (
  network: Network.Network,
  { genesis, name }: BeaconNode.BeaconNode
) {
  const expected = network.genesisValidatorsRoot
  const got = genesis === undefined ? undefined : yield* Effect.orElseSucceed(genesis, () => undefined)
  if (got === undefined || Hash32.equals(got, expected)) return undefined
  const of = (root: Hash32.Hash32): string => `genesis validators root ${root}`
  const reason = new OtherChainError({ network: network.name, expected: of(expected), got: of(got) })
  return new BeaconApiError({ node: name, call: "genesis", reason })
})

/**
 * Returns the first `RefutedError` among the failures, because a lie matters more than a missing answer. If there is none,
 * returns an unknown fork, then another chain, or else the last failure.
 */
export const worst = (failures: ReadonlyArray<BeaconNode.BeaconNodeFailure>): BeaconNode.BeaconNodeFailure =>
  failures.find((failure) => failure instanceof RefutedError) ??
  failures.find(isUnknownFork) ??
  failures.find(isOtherChain) ??
  failures.at(-1)!

/** True if a node's answer is of a fork that this version does not know. */
export const isUnknownFork = (failure: {
  readonly _tag: string
  readonly reason?: { readonly _tag: string } | undefined
}): failure is BeaconApiError => failure.reason?._tag === "UnknownForkError"

const isOtherChain = (failure: BeaconNode.BeaconNodeFailure): boolean =>
  failure._tag === "BeaconApiError" && failure.reason._tag === "OtherChainError"

const unknownFork = (node: string, call: BeaconApiCall, fork: string): BeaconApiError =>
  new BeaconApiError({ node, call, reason: new UnknownForkError({ fork }) })

/**
 * Returns a lie that was told between two readings of the health, or undefined if there was none. A lie is excused if
 * another node told the truth and did not lie.
 */
export const lieBetween = (
  before: ReadonlyArray<BeaconNodeHealth>,
  after: ReadonlyArray<BeaconNodeHealth>
): RefutedError | undefined => {
  const grown = after.map(({ asked, failed, lie, refuted }, at) => {
    const old = before[at]!
    const lies = refuted - old.refuted
    return { lie: lies > 0 ? lie : undefined, isHonest: lies === 0 && asked - failed > old.asked - old.failed }
  })
  return grown.some(({ isHonest }) => isHonest) ? undefined : grown.find(({ lie }) => lie !== undefined)?.lie
}

const NO_SCHEDULE: NonNullable<BeaconNode.BeaconNode["schedule"]> = /* @__PURE__ */ Effect.succeed([])

/** The checks that fail for a true answer if its fork is not known. */
const DEPENDS_ON_FORK: ReadonlySet<string> = new Set([
  "shape",
  "bounds",
  "execution-branch",
  "committee-branch",
  "next-committee-branch",
  "finality-branch",
  "signature"
])

/** The checks that fail for a true answer of another chain. */
const DEPENDS_ON_CHAIN: ReadonlySet<string> = /* @__PURE__ */ new Set([
  ...DEPENDS_ON_FORK,
  "network",
  "future-slot",
  "period"
])

const UNASKED = { asked: 0, failed: 0, refuted: 0, last: undefined }

/** Returns the refutation with the name of the node in its subject. */
const by = (name: string, refuted: RefutedError): RefutedError =>
  new RefutedError({
    subject: refuted.subject === undefined ? name : `${name}: ${refuted.subject}`,
    check: refuted.check,
    expected: refuted.expected,
    got: refuted.got
  })
