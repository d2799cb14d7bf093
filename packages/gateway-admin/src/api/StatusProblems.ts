/**
 * The problems that a service's status reports, in sentences for operators. The command and the console show the same
 * sentences.
 */
import type { Status } from "./statusModel.ts"

/**
 * Returns the problems of a network besides its own state: its nodes that get no calls while others answer, the reason
 * why nothing can be proven, and the warnings of its light client.
 *
 * ```ts import.meta.vitest
 * import { ofNetwork } from "@plumbline/gateway-admin/api/StatusProblems"
 *
 * const node = { name: "a", state: "up", behind: 0 } as const
 * const upstreams = [node, { ...node, name: "b", state: "down" }] as const
 * ofNetwork({ anchor: null, upstreams, warnings: ["the checkpoint is old"] }) // => ["node b is down", "the checkpoint is old"]
 * ```
 */
export const ofNetwork = ({
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

/**
 * Returns a sentence for each store that is down, with what happens to calls meanwhile. The worst comes first: the store
 * of projects, without which no call is admitted, then usage, then limits.
 *
 * ```ts import.meta.vitest
 * import { ofStores } from "@plumbline/gateway-admin/api/StatusProblems"
 *
 * const limiter = { store: "down", whenDown: "closed" } as const
 * const metering = { store: "up", waiting: 0, rows: 0 } as const
 * ofStores({ accounts: { store: "up" }, limiter, metering }) // => ["limits: the store is down, calls are refused"]
 * ```
 */
export const ofStores = ({
  accounts,
  limiter,
  metering
}: Pick<Status, "accounts" | "limiter" | "metering">): ReadonlyArray<string> => [
  ...(accounts?.store === "down" ? ["projects: the store is down, calls are refused"] : []),
  ...(metering.store === "down"
    ? [`usage: the store is down, ${metering.waiting} ${metering.waiting === 1 ? "call waits" : "calls wait"}`]
    : []),
  ...(limiter.store === "down"
    ? [`limits: the store is down, calls are ${limiter.whenDown === "open" ? "admitted uncounted" : "refused"}`]
    : [])
]
