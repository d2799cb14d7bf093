/**
 * A light client that starts in the background, because a beacon node that is down must not keep the service down. Until
 * it has started, answers that need it are only claimed.
 */
import * as BeaconNodes from "@plumbline/beacon-light-client/api/BeaconNodes"
import * as LightClient from "@plumbline/beacon-light-client/follow/LightClient"
import * as BeaconSlots from "@plumbline/beacon-light-client/network/Clock"
import * as LightClientReason from "@plumbline/beacon-light-client/trust/LightClientReason"
import * as LightClientTrust from "@plumbline/beacon-light-client/trust/LightClientTrust"
import * as TrustedBlock from "@plumbline/eth-methods/trust/TrustedBlock"
import type { TrustedHead, TrustState } from "@plumbline/gateway/networks/Network"
import * as NodeWatch from "@plumbline/gateway/networks/NodeWatch"
import * as Reason from "@plumbline/verdict/Reason"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"

/** A light client of the network is starting, or cannot start yet. */
export const NotStarted: Reason.ReasonKind<"NotStarted", { readonly network: string }> = Reason.kind(
  "NotStarted",
  ({ network }) => `the light client of the network ${network} has not started yet`
)

/** Time that the start of the service waits for a light client. */
const PATIENCE = "15 seconds"

/** Time between two tries to start a light client. */
const AGAIN = "30 seconds"

/** Time between two questions for forks that the light client does not know. */
const LOOK = "1 hour"

/** The warning about such a fork begins this long before the fork, in seconds. */
const AHEAD = 14 * 86_400

/** Starts a light client, and tries again until it has started. Waits for the first try, but at most `PATIENCE`. */
export const inBackground = Effect.fnUntraced(function* <E extends { readonly message: string }>(
  network: string,
  start: Effect.Effect<Context.Context<TrustedBlock.TrustedBlock | LightClient.LightClient>, E, Scope.Scope>
) {
  const scope = yield* Effect.scope
  const tried = yield* Deferred.make<void>()
  let trust: TrustedBlock.TrustedBlock["Service"] | undefined
  let light: LightClient.Client | undefined
  let fork: BeaconNodes.UnknownFork | undefined
  let failure: unknown
  const attempt = Effect.gen(function* () {
    const own = yield* Scope.fork(scope)
    const started = yield* Effect.onError(Scope.provide(start, own), () => Scope.close(own, Exit.void))
    trust = Context.get(started, TrustedBlock.TrustedBlock)
    light = Context.get(started, LightClient.LightClient)
  })
  const told = Effect.tapError(attempt, (error) => {
    failure = error
    return Effect.andThen(
      Effect.annotateLogs(Effect.logWarning("a light client cannot start", error.message), { network }),
      Deferred.succeed(tried, undefined)
    )
  })
  const look = Effect.suspend(() => light?.unknownFork ?? Effect.undefined).pipe(
    Effect.tap((found) => Effect.sync(() => (fork = found))),
    Effect.repeat(Schedule.spaced(LOOK))
  )
  const trying = Effect.retry(told, Schedule.spaced(AGAIN)).pipe(
    Effect.andThen(Deferred.succeed(tried, undefined)),
    Effect.andThen(look)
  )
  yield* Effect.forkScoped(Effect.ignore(trying))
  yield* Effect.timeoutOption(Deferred.await(tried), PATIENCE)
  const notStarted = (): Reason.Reason => {
    const fork = LightClientTrust.unknownForkOf(failure)
    return fork === undefined ? NotStarted({ network }) : LightClientReason.UnknownFork({ fork })
  }
  const service: TrustedBlock.TrustedBlock["Service"] = {
    resolve: (block) =>
      trust === undefined
        ? Effect.succeed({ _tag: "Nothing", reason: notStarted(), isYet: true })
        : trust.resolve(block)
  }
  const state = (): TrustState =>
    light === undefined ? { heads: [], problems: [notStarted().sentence] } : Effect.runSync(stateOf(light, fork))
  return { trust: service, state }
})

/** Watches the beacon nodes, also while the light client cannot start. Endpoints that are invalid are not watched. */
export const watchedIn = (beacons: ReturnType<typeof BeaconNodes.layerFetch>) =>
  Layer.build(beacons).pipe(
    Effect.map((context) => Context.get(context, BeaconNodes.BeaconNodes).pulses),
    // `/health` is open to all, so it names positions instead of hosts, as for the nodes of networks
    Effect.map((pulses) => pulses.map(({ answers }, index) => ({ name: `beacon-${index + 1}`, answers }))),
    Effect.orElseSucceed(() => []),
    Effect.flatMap(NodeWatch.make)
  )

/** Returns the state of a light client. `fork` is the first fork that it does not know. */
const stateOf = Effect.fnUntraced(function* (light: LightClient.Client, fork: BeaconNodes.UnknownFork | undefined) {
  const found = yield* Effect.result(light.heads)
  if (found._tag === "Failure") {
    return { heads: [], problems: [`a check refuted the light client's chain: ${found.failure.check}`] }
  }
  const { network } = light
  const heads: Array<TrustedHead> = []
  const problems: Array<string> = []
  for (const [head, which] of [
    ["optimistic", "newest"],
    ["finalized", "finalized"]
  ] as const) {
    const followed = found.success[head]
    const { header, support } = followed
    const reason = yield* LightClientTrust.distrustReason(light, followed, which)
    if (reason !== undefined) problems.push(reason.sentence)
    heads.push({
      head,
      slot: Number(header.beacon.slot),
      ageSeconds: yield* LightClientTrust.ageOf(light, followed),
      signed: support._tag === "Checkpoint" ? 0 : support.signed,
      isTrusted: reason === undefined
    })
  }
  const problem = yield* light.problem
  if (problem?._tag === "RefutedError") problems.push(`a beacon node's answer was refuted: ${problem.check}`)
  if (fork === undefined) return { heads, problems }
  const now = yield* light.bounds?.now ?? Clock.currentTimeMillis
  const begins = Number(BeaconSlots.timeOf(network, fork.epoch * BigInt(network.slotsPerEpoch)))
  const inSeconds = begins - Math.floor(now / 1000)
  if (inSeconds < AHEAD) problems.push(warningOf(fork.name, begins, inSeconds))
  return { heads, problems, unknownFork: { name: fork.name, inSeconds } }
})

const warningOf = (fork: string, begins: number, inSeconds: number): string => {
  const day = new Date(1000 * begins).toISOString().slice(0, 10)
  const when = inSeconds > 0 ? `begins on ${day}` : `began on ${day}`
  return `the fork ${fork} ${when}, and the light client does not know it: update this version, or add the fork to the network's file`
}
