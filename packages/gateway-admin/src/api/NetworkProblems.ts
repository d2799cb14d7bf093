/**
 * The problems of a network, in sentences for operators.
 */
import type { Status } from "./statusModel.ts"

/**
 * Returns the problems of a network besides its own state: its nodes that get no calls while others answer, the reason
 * why nothing can be proven, and the warnings of its light client.
 *
 * ```ts import.meta.vitest
 * import { of } from "@plumbline/gateway-admin/api/NetworkProblems"
 *
 * const node = { name: "a", state: "up", behind: 0 } as const
 * const upstreams = [node, { ...node, name: "b", state: "down" }] as const
 * of({ anchor: null, upstreams, warnings: ["the checkpoint is old"] }) // => ["node b is down", "the checkpoint is old"]
 * ```
 */
export const of = ({
  anchor,
  upstreams,
  warnings
}: Pick<Status["networks"][number], "anchor" | "upstreams" | "warnings">): ReadonlyArray<string> => [
  ...(upstreams.length < 2
    ? []
    : upstreams.flatMap(({ name, state }) =>
        state === "down" || state === "wrong" ? [`node ${name} is ${state}`] : []
      )),
  ...(typeof anchor?.problem === "string" && warnings?.includes(anchor.problem) !== true
    ? [`nothing can be proven: ${anchor.problem}`]
    : []),
  ...(warnings ?? [])
]
