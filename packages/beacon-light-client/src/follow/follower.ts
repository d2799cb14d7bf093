/** The work of a light client: its start, catching up, and the poll of each slot. */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import type { RefutedError } from "@plumbline/verdict/RefutedError"
import * as EffectClock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

import { BeaconApiError, type BeaconApiCall, OtherChainError, UnavailableError } from "../api/BeaconApiError.ts"
import type { BeaconNode } from "../api/BeaconNode.ts"
import { MAX_UPDATES } from "../api/BeaconNode.ts"
import { type BeaconNodeFailure, isUnknownFork, type Nodes, worst } from "../api/BeaconNodes.ts"
import type { BlsEngine } from "../bls/Bls.ts"
import type * as Update from "../container/Update.ts"
import * as Clock from "../network/Clock.ts"
import { refuse } from "../refusal/LightClientCheck.ts"
import { RecordError } from "../store/RecordError.ts"
import type { StoreError } from "../store/StoreError.ts"
import * as TrustRecord from "../store/TrustRecord.ts"
import type { TrustStore } from "../store/TrustStore.ts"
import * as LightClientStore from "../verify/LightClientStore.ts"
import * as Advance from "./advance.ts"
import type * as Conflict from "./Conflict.ts"
import { CheckpointAgeError, type FollowError, NoCheckpointError } from "./FollowError.ts"
import * as LightClientHeads from "./LightClientHeads.ts"

/** The rules by which a light client follows. */
export interface FollowRules {
  readonly checkpoint: Hash32.Hash32 | undefined
  /** Default: the safe age of the checkpoint's fork. */
  readonly maxCheckpointAge: Duration.Duration | undefined
  readonly finalityQuorum: number | undefined
  readonly optimisticQuorum: number | undefined
  readonly force: boolean
  readonly learnsAhead: boolean
  readonly onProgress: (progress: CatchUpProgress) => Effect.Effect<void>
  readonly onUpdate: (update: Update.AnyUpdate, store: LightClientStore.LightClientStore) => Effect.Effect<void>
}

/** The progress of catching up. */
export interface CatchUpProgress {
  /** The period of the finalized head. */
  readonly period: bigint
  /** The current period, by the clock. */
  readonly target: bigint
  /** The period of the first finalized head. */
  readonly from: bigint
}

/** The parts that a follower works with. */
export interface FollowerParts {
  readonly nodes: Nodes
  readonly records: TrustStore["Service"]
  readonly bls: BlsEngine
  readonly rules: FollowRules
}

/** The outcome of some work: a new state, or an alarm. After an alarm, the follower must stop. */
export type FollowOutcome =
  | { readonly _tag: "Following"; readonly followed: Advance.FollowerState }
  | { readonly _tag: "Stopped"; readonly conflict: Conflict.Conflict }

/** The errors of a start. */
export type StartFailure = BeaconNodeFailure | FollowError | RecordError | StoreError

/**
 * The tolerance of the clock, in milliseconds: a slot counts as begun up to this long before its start.
 *
 * Source: consensus-specs `MAXIMUM_GOSSIP_CLOCK_DISPARITY`.
 */
const TOLERANCE = 500

/**
 * Starts from the record of the store if it began at the same checkpoint of the same chain, otherwise from the
 * checkpoint's bootstrap.
 */
export const start = Effect.fnUntraced(function* (
  parts: FollowerParts
): Effect.fn.Return<Advance.FollowerState, StartFailure> {
  const { nodes, rules } = parts
  const { network } = nodes
  const record = yield* recordOf(parts)
  const checkpoint = rules.checkpoint ?? record?.checkpoint
  if (checkpoint === undefined) return yield* Effect.fail(new NoCheckpointError({ network: network.name }))
  if (record !== undefined && record.checkpoint === checkpoint) {
    const { advancedAt, givenAt, store } = record
    yield* checkAge(parts, store, "store")
    return { ...begun(store, STORE), checkpoint: { root: checkpoint, givenAt }, advancedAt }
  }
  const givenAt = yield* EffectClock.currentTimeMillis
  const [store, by] = yield* nodes.first((node) =>
    Effect.flatMap(node.bootstrap(checkpoint), (bootstrap) =>
      Effect.map(
        Effect.andThen(
          known(parts, bootstrap.header.beacon.slot, node.name, "bootstrap"),
          Effect.mapError(
            Effect.fromResult(LightClientStore.fromBootstrap(bootstrap, checkpoint, network)),
            (refuted) => (refuted.check === "network" ? otherChain(network.name, node.name, refuted) : refuted)
          )
        ),
        (begin) => [begin, node.name] as const
      )
    )
  )
  const slot = yield* presentSlot(parts)
  if (store.finalized.header.beacon.slot > slot) {
    const got = `slot ${store.finalized.header.beacon.slot}`
    const refuted = refuse("future-slot", `at most slot ${slot}`, got, "Bootstrap.header")
    return yield* Effect.fail(yield* nodes.blame(by, refuted))
  }
  yield* checkAge(parts, store, "checkpoint")
  return { ...begun(store, by), checkpoint: { root: checkpoint, givenAt }, advancedAt: givenAt }
})

/**
 * Returns the record of the store. A record of another chain, such as an earlier chain of the same name, does not count
 * if there is a checkpoint: the checkpoint starts the light client, and its record replaces the other one.
 */
const recordOf = Effect.fnUntraced(function* ({
  nodes: { network },
  records,
  rules
}: FollowerParts): Effect.fn.Return<TrustRecord.TrustRecord | undefined, StoreError | RecordError> {
  const bytes = yield* records.load(network.name)
  if (bytes === undefined) return undefined
  const read = TrustRecord.decode(bytes, network)
  if (Result.isSuccess(read)) return read.success
  if (read.failure.problem === "OtherChain" && rules.checkpoint !== undefined) return undefined
  const { expected, got, problem } = read.failure
  const place = records.placeOf?.(network.name)
  return yield* Effect.fail(new RecordError({ network: network.name, problem, expected, got, place }))
})

/** The header is the reader's checkpoint, so the node told the truth, and the reader's network is another one. */
const otherChain = (network: string, node: string, { expected, got }: RefutedError): BeaconApiError =>
  new BeaconApiError({
    node,
    call: "bootstrap",
    reason: new OtherChainError({ network, expected, got })
  })

/** The name that stands for the store when a conflict names its two sides. */
const STORE = "store"

const begun = (store: LightClientStore.LightClientStore, by: string) => ({
  store,
  finalizedBy: by,
  optimisticBy: by,
  seen: Advance.seenOf(store, by),
  committeeBy: undefined
})

/** Fails if the checkpoint is older than its fork's safe age, which lies within the period of weak subjectivity. */
const checkAge = Effect.fnUntraced(function* (
  { nodes, rules: { maxCheckpointAge } }: FollowerParts,
  { finalized }: LightClientStore.LightClientStore,
  of: CheckpointAgeError["of"]
): Effect.fn.Return<void, CheckpointAgeError> {
  const { network } = nodes
  const age = Duration.millis(LightClientHeads.ageOf(network, finalized, yield* EffectClock.currentTimeMillis))
  const fork = Clock.forkAt(network, finalized.header.beacon.slot)
  const maxAge = maxCheckpointAge ?? (fork === "gloas" ? SAFE_AGE_FROM_GLOAS : SAFE_AGE)
  if (Duration.isGreaterThan(age, maxAge)) return yield* Effect.fail(new CheckpointAgeError({ of, age, maxAge }))
})

/** Time within which few validators can leave. EIP-8061 lets them leave twice as fast from Gloas on. */
export const SAFE_AGE: Duration.Duration = /* @__PURE__ */ Duration.days(14)
export const SAFE_AGE_FROM_GLOAS: Duration.Duration = /* @__PURE__ */ Duration.days(7)

const known = (
  parts: FollowerParts,
  slot: bigint,
  node: string,
  call: BeaconApiCall
): Effect.Effect<void, BeaconApiError> =>
  Effect.flatMap(presentSlot(parts), (present) => parts.nodes.known(node, call, slot, present))

const presentSlot = ({ nodes }: FollowerParts): Effect.Effect<bigint> =>
  Effect.map(EffectClock.currentTimeMillis, (now) => Clock.slotAt(nodes.network, (now + TOLERANCE) / 1000))

/** Writes the record of a state. */
export const save = (
  { nodes: { network }, records }: FollowerParts,
  { advancedAt, checkpoint: { givenAt, root }, store }: Advance.FollowerState
): Effect.Effect<void, StoreError> =>
  Effect.suspend(() =>
    records.save(network.name, TrustRecord.encode({ checkpoint: root, givenAt, advancedAt, store }, network))
  )

/** Returns the sync committee period of the finalized head. */
export const periodOf = ({ nodes }: FollowerParts, { store }: Advance.FollowerState): bigint =>
  Clock.periodOf(nodes.network, store.finalized.header.beacon.slot)

/**
 * True if the follower needs updates of whole periods: it does not know the committee that signs now, or it lacks the
 * next committee and must request it in advance.
 */
const isBehind = (
  { rules: { learnsAhead } }: FollowerParts,
  { store }: Advance.FollowerState,
  present: bigint,
  period: bigint
): boolean => {
  if (store.nextSyncCommittee !== undefined) return present > period + 1n
  return learnsAhead ? present >= period : present > period
}

/**
 * Applies the updates of whole periods until they bring nothing new, and writes the record after each answer.
 *
 * Nodes may return fewer updates than requested. If a node brings nothing new, the others are asked.
 */
export const catchUp = Effect.fnUntraced(function* (
  parts: FollowerParts,
  begin: Advance.FollowerState
): Effect.fn.Return<FollowOutcome, BeaconNodeFailure | StoreError> {
  const { nodes } = parts
  const from = periodOf(parts, begin)
  let followed = begin
  while (true) {
    const before = followed
    const period = periodOf(parts, before)
    const target = Clock.periodOf(nodes.network, yield* presentSlot(parts))
    if (!isBehind(parts, before, target, period)) return { _tag: "Following", followed }
    const start = before.store.nextSyncCommittee === undefined ? period : period + 1n
    const wanted = target - start + 1n
    const count = wanted > BigInt(MAX_UPDATES) ? MAX_UPDATES : Number(wanted)
    const outcome = yield* nodes
      .first(
        (node) => Effect.flatMap(node.updates(start, count), (updates) => takeAll(parts, before, updates, node, from)),
        (taken) => leadsFurther(before, taken)
      )
      .pipe(Effect.catchIf(isUnknownFork, () => Effect.succeed<FollowOutcome>({ _tag: "Following", followed: before })))
    if (outcome._tag === "Stopped" || !leadsFurther(before, outcome)) return outcome
    followed = outcome.followed
    yield* save(parts, followed)
  }
})

/**
 * True if the work ended in an alarm, or changed the part of the state that the next request depends on. An update with
 * too few signers does not count: it changes the state, but nodes would send it again and again.
 */
const leadsFurther = ({ store }: Advance.FollowerState, outcome: FollowOutcome): boolean =>
  outcome._tag === "Stopped" ||
  outcome.followed.store.finalized !== store.finalized ||
  outcome.followed.store.nextSyncCommittee !== store.nextSyncCommittee

/**
 * Processes updates in order. If one is refused after others have changed the state, the refusal counts against the
 * node, and the changes are kept.
 */
const takeAll = Effect.fnUntraced(function* (
  parts: FollowerParts,
  begin: Advance.FollowerState,
  updates: ReadonlyArray<Update.AnyUpdate>,
  { name }: BeaconNode,
  from: bigint
): Effect.fn.Return<FollowOutcome, BeaconNodeFailure> {
  let followed = begin
  for (const update of updates) {
    const step = yield* Effect.result(take(parts, followed, update, name, "updates"))
    if (Result.isFailure(step)) {
      if (followed === begin) return yield* Effect.fail(step.failure)
      break
    }
    const taken = step.success
    if (taken._tag === "Conflict") return { _tag: "Stopped", conflict: taken.conflict }
    if (taken._tag === "Refused") {
      if (followed === begin) return yield* Effect.fail(taken.refuted)
      yield* parts.nodes.blame(name, taken.refuted)
      break
    }
    if (taken._tag === "Nothing") continue
    followed = taken.followed
    const target = Clock.periodOf(parts.nodes.network, yield* presentSlot(parts))
    yield* parts.rules.onProgress({ from, period: periodOf(parts, followed), target })
    // checking a signature takes some 30 ms in JavaScript, so other fibers may run in between
    yield* Effect.yieldNow
  }
  return { _tag: "Following", followed }
})

const take = Effect.fnUntraced(function* (
  parts: FollowerParts,
  followed: Advance.FollowerState,
  update: Update.AnyUpdate,
  by: string,
  call: BeaconApiCall
): Effect.fn.Return<Advance.UpdateOutcome, BeaconApiError> {
  yield* known(parts, update.attestedHeader.beacon.slot, by, call)
  const { bls, nodes, rules } = parts
  const { finalityQuorum, optimisticQuorum } = rules
  const now = yield* EffectClock.currentTimeMillis
  const currentSlot = yield* presentSlot(parts)
  const options = { network: nodes.network, currentSlot, bls, finalityQuorum, optimisticQuorum }
  const step = Advance.advance(followed, update, by, now, options)
  if (step._tag === "Moved") yield* rules.onUpdate(update, step.followed.store)
  return step._tag === "Refused" && isBeyond(parts, followed, update, step.refuted)
    ? yield* Effect.fail(new BeaconApiError({ node: by, call: "updates", reason: new UnavailableError() }))
    : step
})

/**
 * True for an update of a period whose committee is not known yet: the updates that lead there are missing, and without
 * them nothing can be said about this one.
 */
const isBeyond = (
  parts: FollowerParts,
  followed: Advance.FollowerState,
  { signatureSlot }: Update.AnyUpdate,
  { check }: RefutedError
): boolean => check === "period" && Clock.periodOf(parts.nodes.network, signatureSlot) > periodOf(parts, followed)

/**
 * Asks all nodes for the newest updates of a slot. If the current committee is unknown, it catches up first.
 *
 * Fails if no node has a good answer. Writes the record if the finalized head moved, or if there is a better update
 * that could be forced.
 */
export const poll = Effect.fnUntraced(function* (
  parts: FollowerParts,
  begin: Advance.FollowerState
): Effect.fn.Return<FollowOutcome, BeaconNodeFailure | StoreError> {
  const { nodes, rules } = parts
  const period = periodOf(parts, begin)
  const present = Clock.periodOf(nodes.network, yield* presentSlot(parts))
  const caught: FollowOutcome =
    present > period && isBehind(parts, begin, present, period)
      ? yield* catchUp(parts, begin)
      : { _tag: "Following", followed: begin }
  if (caught._tag === "Stopped") return caught
  let followed = caught.followed
  const failures: Array<BeaconNodeFailure> = []
  let hasAnswer = false
  // both updates are requested at once, in one round trip, and processed one after the other
  const asks: ReadonlyArray<(node: BeaconNode) => Effect.Effect<Update.AnyUpdate, BeaconNodeFailure>> = [
    (node) => node.finalityUpdate,
    (node) => node.optimisticUpdate
  ]
  for (const answers of yield* Effect.forEach(asks, (ask) => nodes.all(ask), { concurrency: "unbounded" })) {
    for (const { name, outcome } of answers) {
      const taken: Result.Result<Advance.UpdateOutcome, BeaconNodeFailure> = Result.isFailure(outcome)
        ? Result.fail(outcome.failure)
        : yield* Effect.result(take(parts, followed, outcome.success, name, "finality_update"))
      if (Result.isFailure(taken)) {
        failures.push(taken.failure)
        continue
      }
      const step = taken.success
      if (step._tag === "Conflict") return { _tag: "Stopped", conflict: step.conflict }
      if (step._tag === "Refused") {
        failures.push(yield* nodes.blame(name, step.refuted))
        continue
      }
      hasAnswer = true
      if (step._tag === "Moved") followed = step.followed
    }
  }
  if (!hasAnswer) return yield* Effect.fail(worst(failures))
  if (followed.store.finalized !== begin.store.finalized && followed.store.nextSyncCommittee === undefined) {
    // nodes have the update with the next committee as soon as a block of this period is finalized
    const outcome = yield* catchUp(parts, followed)
    if (outcome._tag === "Stopped") return outcome
    followed = outcome.followed
  }
  if (rules.force) followed = yield* forced(parts, followed)
  const { bestUpdate, finalized } = followed.store
  if (finalized !== begin.store.finalized || bestUpdate !== begin.store.bestUpdate) yield* save(parts, followed)
  return { _tag: "Following", followed }
})

const forced = Effect.fnUntraced(function* (
  parts: FollowerParts,
  followed: Advance.FollowerState
): Effect.fn.Return<Advance.FollowerState> {
  const store = LightClientStore.force(followed.store, yield* presentSlot(parts), parts.nodes.network)
  if (store === followed.store) return followed
  const advancedAt = yield* EffectClock.currentTimeMillis
  return { ...followed, store, advancedAt, finalizedBy: followed.optimisticBy }
})

/** Waits until a third of the next slot has passed, when most members have signed and the signatures are known. */
export const nextSlot = Effect.fnUntraced(function* ({ nodes: { network } }: FollowerParts): Effect.fn.Return<void> {
  const now = yield* EffectClock.currentTimeMillis
  const next = 1000 * Number(Clock.timeOf(network, Clock.slotAt(network, now / 1000) + 1n))
  yield* Effect.sleep(Duration.millis(next - now + (1000 * network.secondsPerSlot) / 3))
})
