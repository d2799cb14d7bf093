/** Metrics of the archives, for `families` of `GatewayOptions`. */
import type { MetricFamily } from "@plumbline/gateway/meters/MetricFamily"
import * as Effect from "effect/Effect"

import type { ServedChain } from "./BeaconProduct.ts"

/**
 * Returns the families of these chains. The label `network` is the name of a chain. Nodes are named by their positions,
 * such as `beacon-1`, because their names hold hosts. A chain is left out while its database does not answer.
 */
export const families = (chains: ReadonlyArray<ServedChain>): Effect.Effect<ReadonlyArray<MetricFamily>> =>
  Effect.map(
    Effect.forEach(chains, ({ archive, name }) =>
      Effect.match(archive.status, {
        onSuccess: (status) => [{ network: name, status }],
        onFailure: () => []
      })
    ),
    (found) => {
      const known = found.flat()
      const counted = (name: string, help: string, count: "asked" | "failed" | "refuted"): MetricFamily => ({
        name,
        type: "counter",
        help,
        samples: known.flatMap(({ network, status }) =>
          status.nodes.map((node, at) => ({ labels: { network, node: `beacon-${at + 1}` }, value: node[count] }))
        )
      })
      return [
        {
          name: "plumbline_beacon_following",
          type: "gauge",
          help: "0 while only kept light client data is served, because no beacon node can be followed.",
          samples: known.map(({ network, status }) => ({ labels: { network }, value: status.follows ? 1 : 0 }))
        },
        counted("plumbline_beacon_calls_total", "Calls of the archive to a beacon node.", "asked"),
        counted("plumbline_beacon_failed_calls_total", "Calls that a beacon node did not answer.", "failed"),
        counted("plumbline_beacon_lies_total", "Answers of a beacon node that a check refuted.", "refuted")
      ]
    }
  )
