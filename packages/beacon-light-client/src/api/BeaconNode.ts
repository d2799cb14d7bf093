/**
 * The light client's calls to one beacon node. Answers are not verified here.
 *
 * Requests name only the checkpoint and sync committee periods, so the node does not learn what the reader reads.
 *
 * Source: ethereum/beacon-APIs, `apis/beacon/light_client`.
 */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import type { RefutedError } from "@plumbline/verdict/RefutedError"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as Result from "effect/Result"

import type * as Bootstrap from "../container/Bootstrap.ts"
import * as Codec from "../container/Codec.ts"
import type * as Update from "../container/Update.ts"
import type * as Network from "../network/Network.ts"
import * as BeaconAnswers from "./beaconAnswers.ts"
import { BeaconApiError, type BeaconApiCall, type Reason } from "./BeaconApiError.ts"
import * as BeaconEndpoint from "./beaconEndpoint.ts"
import * as BeaconRequest from "./beaconRequest.ts"

export { MAX_UPDATES, type Scheduled } from "./beaconAnswers.ts"

/** The errors of a call for a container: the node gave no answer, or its bytes are not a valid container. */
export type BeaconNodeFailure = BeaconApiError | RefutedError

/** One beacon node. */
export interface BeaconNode {
  /** The name of the node in errors and evidence. It holds no key. */
  readonly name: string
  /** Returns the bootstrap of a beacon block root. A node that does not keep it fails with `UnavailableError`. */
  readonly bootstrap: (root: Hash32.Hash32) => Effect.Effect<Bootstrap.Bootstrap, BeaconNodeFailure>
  /**
   * Returns the updates of up to `count` consecutive periods. The node may return fewer. `count` is at most
   * `MAX_UPDATES`.
   */
  readonly updates: (
    startPeriod: bigint,
    count: number
  ) => Effect.Effect<ReadonlyArray<Update.Update>, BeaconNodeFailure>
  /** Returns the newest finality update. */
  readonly finalityUpdate: Effect.Effect<Update.FinalityUpdate, BeaconNodeFailure>
  /** Returns the newest optimistic update. */
  readonly optimisticUpdate: Effect.Effect<Update.OptimisticUpdate, BeaconNodeFailure>
  /** Returns the forks of the node's configuration, as a hint. Default: not known. */
  readonly schedule?: Effect.Effect<ReadonlyArray<BeaconAnswers.Scheduled>, BeaconApiError> | undefined
  /**
   * Succeeds if the node answers at all, whatever it answers, unless it reports an error of its own (HTTP 5xx). Default:
   * not known.
   */
  readonly alive?: Effect.Effect<void, BeaconApiError> | undefined
  /** Returns the genesis validators root of the node's chain, as a hint. Default: not known. */
  readonly genesis?: Effect.Effect<Hash32.Hash32, BeaconApiError> | undefined
}

/**
 * Makes the calls of one endpoint over the `HttpClient` of the program.
 *
 * An answer is read up to 64 KiB of SSZ or 256 KiB of JSON for each object, and within the endpoint's timeout. A client
 * on `fetch` must not follow redirects (`RequestInit` with `redirect: "manual"`).
 *
 * Fails with `BeaconApiError`, reason `EndpointError`, if the endpoint is invalid.
 */
export const make = (
  endpoint: BeaconEndpoint.BeaconEndpoint,
  network: Network.Network
): Effect.Effect<BeaconNode, BeaconApiError, HttpClient.HttpClient> =>
  Effect.flatMap(HttpClient.HttpClient, (client) =>
    Effect.fromResult(
      Result.mapBoth(BeaconEndpoint.target(endpoint), {
        onFailure: (reason) => new BeaconApiError({ node: endpoint.name ?? UNNAMED, call: "configuration", reason }),
        onSuccess: (target) => ofTarget(client, target, network)
      })
    )
  )

/** The name of an endpoint whose URL cannot be parsed, because that URL may hold a key. */
const UNNAMED = "a beacon node"

const BELOW = "beacon/light_client/"

const ofTarget = (
  client: HttpClient.HttpClient,
  target: BeaconEndpoint.BeaconTarget,
  network: Network.Network
): BeaconNode => {
  const { name } = target
  const get = (call: BeaconApiCall, path: string, count = 1) =>
    Effect.withSpan(BeaconRequest.get(client, target, path, BeaconAnswers.limitsOf(network, count)), `beacon ${call}`, {
      kind: "client"
    })
  const failed = (call: BeaconApiCall) => (reason: Reason) => new BeaconApiError({ node: name, call, reason })
  const call = <A>(
    called: BeaconApiCall,
    path: string,
    count: number,
    read: (answer: BeaconRequest.BeaconAnswer) => Result.Result<A, RefutedError | Reason>
  ): Effect.Effect<A, BeaconNodeFailure> =>
    get(called, path, count).pipe(
      Effect.flatMap((answer) => Effect.fromResult(read(answer))),
      Effect.mapError((error) => (error._tag === "RefutedError" ? error : failed(called)(error)))
    )
  const hint = <A>(
    called: BeaconApiCall,
    path: string,
    read: (answer: BeaconRequest.BeaconAnswer) => Result.Result<A, Reason>
  ) =>
    get(called, path).pipe(
      Effect.flatMap((answer) => Effect.fromResult(read(answer))),
      Effect.mapError(failed(called))
    )
  return {
    name,
    bootstrap: (root) =>
      call("bootstrap", `${BELOW}bootstrap/${root}`, 1, (answer) =>
        BeaconAnswers.one(Codec.bootstrap, answer, network)
      ),
    updates: (startPeriod, count) =>
      call("updates", `${BELOW}updates?start_period=${startPeriod}&count=${count}`, count, (answer) =>
        BeaconAnswers.range(answer, count, network)
      ),
    finalityUpdate: call("finality_update", `${BELOW}finality_update`, 1, (answer) =>
      BeaconAnswers.one(Codec.finalityUpdate, answer, network)
    ),
    optimisticUpdate: call("optimistic_update", `${BELOW}optimistic_update`, 1, (answer) =>
      BeaconAnswers.one(Codec.optimisticUpdate, answer, network)
    ),
    schedule: hint("spec", "config/spec", BeaconAnswers.schedule),
    genesis: hint("genesis", "beacon/genesis", BeaconAnswers.genesis),
    alive: get("health", "node/health").pipe(
      Effect.asVoid,
      Effect.catchIf(isAnswer, () => Effect.void),
      Effect.mapError(failed("health"))
    )
  }
}

/** True if the node sent an answer that is not its fault. The usual answer to this call is empty, and of no type. */
const isAnswer = (reason: Reason): boolean =>
  reason._tag === "UnavailableError" ||
  reason._tag === "ProtocolError" ||
  (reason._tag === "StatusError" && reason.status < 500)
