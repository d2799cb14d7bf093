/** The nodes that a trust asks. */
import * as Integrity from "@plumbline/gateway/integrity/Integrity"
import type { TrustState } from "@plumbline/gateway/networks/Network"
import type * as NodeWatch from "@plumbline/gateway/networks/NodeWatch"
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import { oneByOne, type Transport } from "@plumbline/jsonrpc-core/transport/Transport"
import * as Effect from "effect/Effect"

/**
 * Asks the nodes one after the other for the header of a head. The light client knows the hash, so it can check the
 * header.
 */
export const anyOf = (nodes: ReadonlyArray<Integrity.IntegrityNode>): Transport["Service"] => {
  const transports = nodes.map(({ upstream }) => Integrity.transportOf(upstream))
  const from = (at: number, asked: Parameters<Transport["Service"]["call"]>[0]): Effect.Effect<unknown, JsonRpcError> =>
    Effect.catch(transports[at]!.call(asked), (error) =>
      at + 1 < transports.length ? from(at + 1, asked) : Effect.fail(error)
    )
  const call: Transport["Service"]["call"] = (asked) => from(0, asked)
  return { call, callAll: oneByOne(call) }
}

/** Adds the nodes of a trust to its state. */
export const withNodes = (state: TrustState, nodes: ReadonlyArray<NodeWatch.WatchedState>): TrustState => {
  const silent = nodes.flatMap(({ name, state }) =>
    state === "down" ? [`the trust's node ${name} does not answer`] : []
  )
  return { ...state, nodes, problems: [...state.problems, ...silent] }
}
