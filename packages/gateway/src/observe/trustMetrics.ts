/** Metrics of the trusts behind the networks' proofs: light clients, and the nodes of operators. */
import type { MetricFamily, MetricSample } from "../meters/MetricFamily.ts"
import type { TrustState } from "../networks/Network.ts"
import type { ServiceStatus } from "../pipeline/serviceStatus.ts"

/** Returns the families of all trusts. */
export const families = (networks: ServiceStatus["networks"]): ReadonlyArray<MetricFamily> => {
  const gauge = (
    name: string,
    help: string,
    read: (trust: TrustState) => ReadonlyArray<MetricSample>,
    across: MetricFamily["across"] = "least"
  ): MetricFamily => ({
    name,
    type: "gauge",
    help,
    across,
    samples: networks.flatMap(({ name: network, trust }) =>
      trust === undefined ? [] : read(trust).map(({ labels, value }) => ({ labels: { network, ...labels }, value }))
    )
  })
  return [
    gauge("plumbline_trust_up", "0 while answers under a light client's head are only claimed.", ({ heads }) =>
      (heads === undefined ? [] : HEADS).map((head) => ({
        labels: { head },
        value: heads?.some((one) => one.head === head && one.isTrusted) ? 1 : 0
      }))
    ),
    gauge(
      "plumbline_trust_node_up",
      "0 while a node that a trust asks does not answer: a beacon node, or the operator's.",
      ({ nodes = [] }) => nodes.map(({ name, state }) => ({ labels: { node: name }, value: state === "down" ? 0 : 1 }))
    ),
    gauge(
      "plumbline_trust_age_seconds",
      "Age of the slot of a light client's head.",
      ({ heads = [] }) => heads.map(({ ageSeconds, head }) => ({ labels: { head }, value: ageSeconds })),
      "most"
    ),
    gauge(
      "plumbline_trust_unknown_fork_seconds",
      "Seconds until a fork that the light client does not know begins; negative after its beginning.",
      ({ unknownFork }) =>
        unknownFork === undefined ? [] : [{ labels: { fork: unknownFork.name }, value: unknownFork.inSeconds }]
    )
  ]
}

const HEADS = ["optimistic", "finalized"] as const
