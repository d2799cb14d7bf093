/**
 * The problems that a service's status reports, in the sentences of the health path. The command and the console show
 * them.
 */
import * as ServiceProblems from "@plumbline/gateway/observe/ServiceProblems"

import type { Status } from "./statusModel.ts"

export { ofStores, stateWord } from "@plumbline/gateway/observe/ServiceProblems"

/**
 * Returns the problems of a network, in the order of `ServiceProblems.ofNetwork` of the gateway.
 *
 * ```ts import.meta.vitest
 * import { ofNetwork } from "@plumbline/gateway-admin/api/StatusProblems"
 *
 * const node = { name: "a", state: "up", behind: 0 } as const
 * const upstreams = [node, { ...node, name: "b", state: "down" }] as const
 * const network = { anchor: null, nodes: [], upstream: "up", upstreams, warnings: ["the checkpoint is old"] } as const
 * ofNetwork(network) // => ["node b is down", "the checkpoint is old"]
 * ```
 */
export const ofNetwork = ({
  anchor,
  nodes,
  upstream,
  upstreams,
  warnings
}: Pick<
  Status["networks"][number],
  "anchor" | "nodes" | "upstream" | "upstreams" | "warnings"
>): ReadonlyArray<string> =>
  ServiceProblems.ofNetwork({
    upstream,
    nodes: upstreams.map((one) => nodes.find(({ name }) => name === one.name) ?? one),
    warnings,
    unproven: anchor?.problem
  })
