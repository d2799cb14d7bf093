/**
 * A light client that follows the beacon chain from a checkpoint, over beacon nodes that need not be trusted.
 *
 * The reader trusts only the checkpoint. Members of a sync committee sign each step, and the previous step proves that
 * committee. The light client only moves forward. It has two heads: the finalized head, and the optimistic head, which
 * members signed and which can still be reorganised. It requests only the newest heads, and committees by their
 * periods, so no node learns what the reader reads.
 *
 * **Gotchas**
 *
 * Signatures of sync committees are not slashable. A head says "signed by N of 512", and not "proven by consensus".
 */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as PlainHex from "@plumbline/codec/hex/PlainHex"
import type * as Input from "@plumbline/eth-methods/model/Input"
import type { RefutedError } from "@plumbline/verdict/RefutedError"
import * as EffectClock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"

import * as BeaconNodes from "../api/BeaconNodes.ts"
import * as Bls from "../bls/Bls.ts"
import type * as Update from "../container/Update.ts"
import * as Clock from "../network/Clock.ts"
import type * as Network from "../network/Network.ts"
import { TrustStore } from "../store/TrustStore.ts"
import type * as LightClientStore from "../verify/LightClientStore.ts"
import type { FollowerState } from "./advance.ts"
import type { Conflict } from "./Conflict.ts"
import * as Follower from "./follower.ts"
import { CheckpointError } from "./FollowError.ts"
import * as LightClientHeads from "./LightClientHeads.ts"

export type { CatchUpProgress, StartFailure } from "./follower.ts"

/** The checkpoint, and the rules by which the light client follows the chain. */
export interface LightClientOptions {
  /**
   * The root of a finalized beacon block that the reader trusts. The start fails with `CheckpointError` if the text is
   * not a hash.
   *
   * It may be left out if the store has a record of the network. If that record started from another checkpoint, or is
   * of another chain of the same name, the light client starts again from this one.
   */
  readonly checkpoint?: Input.Hash32 | undefined
  /**
   * Maximum age of the first finalized head, which comes from the checkpoint or the store. `"Infinity"` switches the
   * limit off. Default: 14 days, within which few validators can leave; 7 days if the head is of Gloas, where they can
   * leave twice as fast.
   */
  readonly maxCheckpointAge?: Duration.Input | undefined
  /** Minimum number of signers of a finalized head, if it is more than the protocol's two thirds (342 of 512). */
  readonly finalityQuorum?: number | undefined
  /** Minimum number of signers of an optimistic head, if it is more than the protocol requires. */
  readonly optimisticQuorum?: number | undefined
  /**
   * Minimum number of signers of the optimistic head of a VERIFIED answer. Answers under a head with fewer signers are
   * CLAIMED. Default: two thirds of the committee, 342 of 512.
   */
  readonly minParticipation?: number | undefined
  /**
   * Maximum age of the head behind a VERIFIED answer about `latest`. For `finalized` and `safe` it is at least four
   * epochs. Answers under an older head are CLAIMED. `"Infinity"` switches the bound off. Default: 60 seconds, or five
   * slots if they take longer.
   */
  readonly maxHeadAge?: Duration.Input | undefined
  /**
   * True to accept the best signed header as finalized after a period without finality, as the protocol allows. The
   * finality of verdicts is then `forced`. Default: false.
   */
  readonly force?: boolean | undefined
  /**
   * False to request the committee of the next period only when that committee signs. This saves one update of 25 kB
   * and its checks, for a light client that runs for seconds and keeps no record. Heads are checked in the same way.
   * Default: true.
   */
  readonly learnsAhead?: boolean | undefined
  /** Runs after each step while the light client catches up, for a progress display. */
  readonly onProgress?: ((progress: Follower.CatchUpProgress) => Effect.Effect<void>) | undefined
  /**
   * Runs for each update that passed all checks and brought something new, with the store that it made, for a program
   * that keeps or passes on updates. The light client goes on when it is done.
   */
  readonly onUpdate?:
    | ((update: Update.AnyUpdate, store: LightClientStore.LightClientStore) => Effect.Effect<void>)
    | undefined
}

/** The defaults of the options. */
export const defaults: {
  readonly maxCheckpointAge: Duration.Duration
  readonly maxCheckpointAgeFromGloas: Duration.Duration
  readonly force: boolean
  readonly learnsAhead: boolean
} = {
  maxCheckpointAge: Follower.SAFE_AGE,
  maxCheckpointAgeFromGloas: Follower.SAFE_AGE_FROM_GLOAS,
  force: false,
  learnsAhead: true
}

/** The clock and the bounds by which heads are judged. */
export interface HeadBounds {
  /** The time, in milliseconds since 1970. */
  readonly now: Effect.Effect<number>
  /** `maxHeadAge` of the options, in milliseconds. */
  readonly maxHeadAge: number | undefined
  readonly minParticipation: number | undefined
}

/** The functions of a light client. */
export interface Client {
  /** The network that the light client follows. */
  readonly network: Network.Network
  /** Default: the clock of the fiber, and the defaults of the options. */
  readonly bounds?: HeadBounds | undefined
  /** Returns the heads. Fails with `RefutedError`, check `conflict`, after an alarm. */
  readonly heads: Effect.Effect<LightClientHeads.LightClientHeads, RefutedError>
  /** The heads now, and again whenever one of them moves. Fails at an alarm. */
  readonly changes: Stream.Stream<LightClientHeads.LightClientHeads, RefutedError>
  /** Asks the nodes for new heads now, and not only at the next slot. */
  readonly refresh: Effect.Effect<LightClientHeads.LightClientHeads, Follower.StartFailure>
  /** Returns both sides of the alarm that stopped the light client, if one did. */
  readonly conflict: Effect.Effect<Conflict | undefined>
  /** Returns the failure of the last poll; undefined if the poll succeeded. A failed poll does not change the heads. */
  readonly problem: Effect.Effect<Follower.StartFailure | undefined>
  /** Returns the numbers of calls and failures of each beacon node. */
  readonly nodes: Effect.Effect<ReadonlyArray<BeaconNodes.BeaconNodeHealth>>
  /**
   * Returns the first fork that the network's schedule does not have, or that this version does not know, whether it
   * has begun or not. Asks the nodes for their schedules, which are only hints. Default: no fork.
   */
  readonly unknownFork?: Effect.Effect<BeaconNodes.UnknownFork | undefined> | undefined
}

/** The service. */
export class LightClient extends Context.Service<LightClient, Client>()("@plumbline/beacon-light-client/LightClient") {}

/**
 * Starts a light client, catches up with the chain, and then follows it slot by slot until the scope closes.
 *
 * A start fails with `RefutedError` for a lie, `BeaconApiError` if no node answers, `CheckpointError`,
 * `CheckpointAgeError` or `NoCheckpointError` for the checkpoint, `RecordError` for a stored record that cannot be used, and `StoreError` if the
 * store cannot be read or written. Later failures of nodes do not end it: see `problem`.
 */
export const layer = (
  options: LightClientOptions
): Layer.Layer<LightClient, Follower.StartFailure, BeaconNodes.BeaconNodes | TrustStore> =>
  Layer.effect(LightClient, make(options))

/** Returns a light client as a value. It ends when its scope closes. */
export const make = (
  options: LightClientOptions
): Effect.Effect<Client, Follower.StartFailure, BeaconNodes.BeaconNodes | TrustStore | Scope.Scope> =>
  Effect.flatMap(checkpointOf(options), (checkpoint) => started(options, checkpoint))

const checkpointOf = ({ checkpoint }: LightClientOptions): Effect.Effect<Hash32.Hash32 | undefined, CheckpointError> =>
  checkpoint === undefined
    ? Effect.succeed(undefined)
    : Effect.try({
        try: () => PlainHex.checkUnsafe(checkpoint, 32) as Hash32.Hash32,
        catch: (error) => new CheckpointError({ detail: error instanceof Error ? error.message : "" })
      })

const started = Effect.fnUntraced(function* (options: LightClientOptions, checkpoint: Hash32.Hash32 | undefined) {
  const nodes = yield* BeaconNodes.BeaconNodes
  const parts: Follower.FollowerParts = {
    nodes,
    records: yield* TrustStore,
    bls: remembering(yield* Bls.Bls),
    rules: {
      checkpoint,
      maxCheckpointAge:
        options.maxCheckpointAge === undefined ? undefined : Duration.fromInputUnsafe(options.maxCheckpointAge),
      finalityQuorum: options.finalityQuorum,
      optimisticQuorum: options.optimisticQuorum,
      force: options.force ?? defaults.force,
      learnsAhead: options.learnsAhead ?? defaults.learnsAhead,
      onProgress: options.onProgress ?? (() => Effect.void),
      onUpdate: options.onUpdate ?? (() => Effect.void)
    }
  }
  let problem: Follower.StartFailure | undefined
  let unknown: Follower.StartFailure | undefined

  /** Runs a poll. If its fork is not known, the state stays, because the nodes are not at fault. */
  const poll = Effect.fnUntraced(function* (followed: FollowerState) {
    unknown = undefined
    return yield* Effect.catchIf(Follower.poll(parts, followed), BeaconNodes.isUnknownFork, (error) =>
      Effect.sync((): Follower.FollowOutcome => {
        unknown = error
        return { _tag: "Following", followed }
      })
    )
  })

  const begin = Effect.gen(function* () {
    const begun = yield* Follower.start(parts)
    const caught = yield* Follower.catchUp(parts, begun)
    return caught._tag === "Stopped" ? caught : yield* poll(caught.followed)
  })
  const { lie, outcome: first } = yield* nodes.watched(begin)
  if (lie !== undefined && first._tag === "Following") return yield* Effect.fail(lie)
  problem = unknown
  if (first._tag === "Following") yield* Follower.save(parts, first.followed)
  const state = yield* SubscriptionRef.make(stateOf(nodes.network, first))

  const refresh = SubscriptionRef.modifyEffect(state, (now) =>
    now._tag === "Stopped"
      ? Effect.succeed([{ next: now, lie: undefined }, now] as const)
      : Effect.map(nodes.watched(poll(now.followed)), ({ lie, outcome }) => {
          const next = stateOf(nodes.network, outcome, now.heads)
          return [{ next, lie }, next] as const
        })
  ).pipe(
    Effect.flatMap(({ lie, next }) =>
      lie === undefined || next._tag === "Stopped" ? Effect.succeed<State>(next) : Effect.fail(lie)
    ),
    Effect.tap(() => Effect.sync(() => (problem = unknown))),
    Effect.tapError((error) => Effect.sync(() => (problem = error)))
  )

  yield* Effect.andThen(Follower.nextSlot(parts), Effect.ignore(refresh)).pipe(Effect.forever, Effect.forkScoped)

  const { maxHeadAge, minParticipation } = options
  const clock = yield* EffectClock.Clock
  const client: Client = {
    network: nodes.network,
    bounds: {
      // answers are read by programs with clocks of their own
      now: Effect.sync(() => clock.currentTimeMillisUnsafe()),
      maxHeadAge: maxHeadAge === undefined ? undefined : Duration.toMillis(Duration.fromInputUnsafe(maxHeadAge)),
      minParticipation
    },
    heads: Effect.flatMap(SubscriptionRef.get(state), headsIn),
    changes: SubscriptionRef.changes(state).pipe(
      Stream.mapEffect(headsIn),
      Stream.changesWith((before, after) => before === after)
    ),
    refresh: Effect.flatMap(refresh, headsIn),
    conflict: Effect.map(SubscriptionRef.get(state), (now) => (now._tag === "Stopped" ? now.conflict : undefined)),
    problem: Effect.sync(() => problem),
    nodes: nodes.health,
    unknownFork: Effect.map(nodes.unknownForks, ([first]) => first)
  }
  return client
})

/**
 * Remembers the last good signatures. Nodes send one update in two containers, and each node sends it, so each signature
 * would be checked several times.
 */
const remembering = ({ name, verify }: Bls.BlsEngine): Bls.BlsEngine => {
  const good: Array<readonly [committee: Bls.CommitteeSignature["committee"], key: string]> = []
  return {
    name,
    verify: (signed) => {
      const { committee, message, signature, signers } = signed
      const key = [message, signature, signers].join(" ")
      if (good.some((known) => known[0] === committee && known[1] === key)) return true
      if (!verify(signed)) return false
      if (good.push([committee, key]) > REMEMBERED) good.shift()
      return true
    }
  }
}

const REMEMBERED = 8

/** The outcome of the last poll. `heads` is the same object until a head moves. */
type State =
  | { readonly _tag: "Stopped"; readonly conflict: Conflict }
  | { readonly _tag: "Following"; readonly followed: FollowerState; readonly heads: LightClientHeads.LightClientHeads }

const headsIn = (state: State): Effect.Effect<LightClientHeads.LightClientHeads, RefutedError> =>
  state._tag === "Stopped" ? Effect.fail(state.conflict.refuted) : Effect.succeed(state.heads)

const stateOf = (
  network: Network.Network,
  outcome: Follower.FollowOutcome,
  heads?: LightClientHeads.LightClientHeads
): State => {
  if (outcome._tag === "Stopped") return outcome
  const { checkpoint, finalizedBy, optimisticBy, store } = outcome.followed
  const knowsNextCommittee = store.nextSyncCommittee !== undefined
  const isSame =
    heads !== undefined &&
    heads.finalized.header === store.finalized.header &&
    heads.optimistic.header === store.optimistic.header &&
    heads.knowsNextCommittee === knowsNextCommittee
  if (isSame) return { ...outcome, heads }
  return {
    ...outcome,
    heads: {
      checkpoint,
      finalized: LightClientHeads.headOf(store.finalized, finalizedBy),
      optimistic: LightClientHeads.headOf(store.optimistic, optimisticBy),
      period: Clock.periodOf(network, store.finalized.header.beacon.slot),
      knowsNextCommittee
    }
  }
}
