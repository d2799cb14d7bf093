/**
 * The light client of a network for a worker. The supervisor follows the beacon chain once for all workers, and sends each
 * change of the heads. A worker judges the age of the heads by its own clock, so heads that the supervisor no longer
 * renews become stale: answers under them are then only claimed.
 */
import { BeaconApiError, UnknownForkError } from "@plumbline/beacon-light-client/api/BeaconApiError"
import type * as LightClient from "@plumbline/beacon-light-client/follow/LightClient"
import type * as Network from "@plumbline/beacon-light-client/network/Network"
import { RefutedError } from "@plumbline/verdict/RefutedError"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

import type { SupervisorClient } from "./SupervisorClient.ts"
import type { Sent, SentLight } from "./WorkerMessages.ts"

/** The fields of a refutation, which a copy of the error would lose. */
type RefutedFields = ConstructorParameters<typeof RefutedError>[0]

/** Returns the state of a light client as plain data. */
export const encode = (light: LightClient.Client): Effect.Effect<SentLight> =>
  Effect.gen(function* () {
    const heads = yield* Effect.result(light.heads)
    const problem = yield* light.problem
    const nodes = yield* light.nodes
    return {
      heads:
        heads._tag === "Success"
          ? { _tag: "Value", value: heads.success }
          : { _tag: "Refuted", fields: fieldsOf(heads.failure) },
      nodes: nodes.map(({ asked, failed, lie, name, refuted }) => ({
        name,
        asked,
        failed,
        refuted,
        ...(lie === undefined ? {} : { lie: fieldsOf(lie) })
      })),
      fork:
        problem?._tag === "BeaconApiError" && problem.reason._tag === "UnknownForkError"
          ? problem.reason.fork
          : undefined,
      refuted: problem?._tag === "RefutedError" ? fieldsOf(problem) : undefined
    }
  })

const fieldsOf = ({ at, check, expected, got, subject }: RefutedError): RefutedFields => ({
  check,
  expected,
  got,
  ...(at === undefined ? {} : { at }),
  ...(subject === undefined ? {} : { subject })
})

const refutedOf = (fields: object): RefutedError => new RefutedError(fields as RefutedFields)

/** The light clients that the supervisor follows, by the names of their networks. */
export interface RemoteLightClients {
  /** Returns the light client of a network when the supervisor has sent its first heads. */
  readonly follow: (
    name: string,
    network: Network.Network,
    bounds: LightClient.HeadBounds
  ) => Effect.Effect<LightClient.Client>
}

export const make = Effect.fnUntraced(function* (supervisor: SupervisorClient) {
  const states = new Map<string, SentLight>()
  const waiting = new Map<string, Deferred.Deferred<void>>()
  const firstOf = (name: string): Deferred.Deferred<void> => {
    const known = waiting.get(name) ?? Deferred.makeUnsafe<void>()
    waiting.set(name, known)
    return known
  }
  yield* Effect.acquireRelease(
    Effect.sync(() =>
      supervisor.listen((message) => {
        if (message._tag !== "Heads") return
        states.set(message.network, message.state)
        Deferred.doneUnsafe(firstOf(message.network), Effect.void)
      })
    ),
    (stop) => Effect.sync(stop)
  )
  const remote: RemoteLightClients = {
    follow: (name, network, bounds) =>
      Effect.as(
        Deferred.await(firstOf(name)),
        clientOf(() => states.get(name)!, network, bounds)
      )
  }
  return remote
})

const clientOf = (
  state: () => SentLight,
  network: Network.Network,
  bounds: LightClient.HeadBounds
): LightClient.Client => {
  const heads = Effect.suspend(() => valueOf(state().heads))
  return {
    network,
    bounds,
    heads,
    // the trust reads the heads at each question, and asks for no stream of them
    changes: Stream.fromEffect(heads),
    refresh: heads,
    conflict: Effect.undefined,
    problem: Effect.sync(() => {
      const { fork, refuted } = state()
      if (refuted !== undefined) return refutedOf(refuted)
      return fork === undefined
        ? undefined
        : new BeaconApiError({ node: "supervisor", call: "updates", reason: new UnknownForkError({ fork }) })
    }),
    nodes: Effect.sync(() =>
      state().nodes.map(({ lie, ...node }) => ({
        ...node,
        last: undefined,
        ...(lie === undefined ? {} : { lie: refutedOf(lie) })
      }))
    )
  }
}

const valueOf = <A>(sent: Sent<A>): Effect.Effect<A, RefutedError> =>
  sent._tag === "Value" ? Effect.succeed(sent.value) : Effect.fail(refutedOf(sent.fields))
