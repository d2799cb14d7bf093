/** The nodes that a trust asks, in its state. */
import type { TrustState } from "@plumbline/gateway/networks/Network"
import type * as NodeWatch from "@plumbline/gateway/networks/NodeWatch"

/** Adds the nodes of a trust to its state. */
export const withNodes = (state: TrustState, nodes: ReadonlyArray<NodeWatch.WatchedState>): TrustState => {
  const silent = nodes.flatMap(({ name, state }) =>
    state === "down" ? [`the trust's node ${name} does not answer`] : []
  )
  return { ...state, nodes, problems: [...state.problems, ...silent] }
}
