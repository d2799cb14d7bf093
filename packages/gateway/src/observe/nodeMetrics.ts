/** Metrics of the nodes behind the networks and of the IPFS nodes, if these are watched. */
import type { MetricFamily, MetricSample } from "../meters/MetricFamily.ts"
import type { UpstreamHealth } from "../networks/Upstream.ts"
import type { ServiceStatus } from "../pipeline/serviceStatus.ts"

/** Returns the families of all nodes. IPFS nodes have only a state. */
export const families = ({ ipfs, networks }: Pick<ServiceStatus, "ipfs" | "networks">): ReadonlyArray<MetricFamily> => {
  const content = (ipfs?.nodes ?? []).map(({ name, state }) => ({ name, state, behind: undefined }))
  const all = [...networks, { name: IPFS, upstream: "untried" as const, upstreams: content }]
  const nodes = all.flatMap(({ name, upstream, upstreams }) =>
    (upstreams ?? [{ name: SINGLE, state: upstream, behind: undefined }]).map((node: UpstreamHealth) => ({
      node,
      labels: { network: name, node: node.name }
    }))
  )
  const family = (
    name: string,
    type: MetricFamily["type"],
    help: string,
    read: (node: UpstreamHealth) => number | undefined,
    across?: MetricFamily["across"]
  ): MetricFamily => ({
    name,
    type,
    help,
    across,
    samples: nodes.flatMap(({ labels, node }): ReadonlyArray<MetricSample> => {
      const value = read(node)
      return value === undefined ? [] : [{ labels, value }]
    })
  })
  const by = (
    name: string,
    help: string,
    label: string,
    read: (node: UpstreamHealth) => Readonly<Record<string, number>> | undefined
  ): MetricFamily => ({
    name,
    type: "counter",
    help,
    samples: nodes.flatMap(({ labels, node }) =>
      Object.entries(read(node) ?? {}).map(([key, value]) => ({ labels: { ...labels, [label]: key }, value }))
    )
  })
  return [
    family(
      "plumbline_upstream_up",
      "gauge",
      "0 while a node is down or of another chain.",
      ({ state }) => (state === "down" || state === "wrong" ? 0 : 1),
      "least"
    ),
    family(
      "plumbline_upstream_lying",
      "gauge",
      "1 while a node answers and is not trusted, because a check refuted an answer.",
      ({ state }) => (state === "lies" ? 1 : 0),
      "most"
    ),
    family(
      "plumbline_upstream_behind_blocks",
      "gauge",
      "Blocks behind the served tip.",
      ({ behind }) => behind,
      "most"
    ),
    family("plumbline_upstream_head_block", "gauge", "Number of the latest block.", ({ head }) => head?.number, "most"),
    family(
      "plumbline_upstream_response_seconds",
      "gauge",
      "Usual response time.",
      ({ responseMillis }) => (responseMillis === undefined ? undefined : responseMillis / 1000),
      "most"
    ),
    family("plumbline_upstream_calls_total", "counter", "Calls that were sent to a node.", ({ calls }) => calls),
    by("plumbline_upstream_faults_total", "Failed calls of a node by reason.", "reason", ({ faultsBy }) => faultsBy),
    by(
      "plumbline_upstream_lies_total",
      "Answers of a node that a check refuted, to callers and to the gateway itself, without those of drills.",
      "check",
      ({ lies }) => lies?.checks
    )
  ]
}

/** The label of IPFS nodes, as in the metrics of calls. The configuration accepts no network with this name. */
const IPFS = "ipfs"

/** The name of a network's only node, if the node has no name. */
const SINGLE = "node"
