/** Checks that limits are exact: the three processes together admit exactly as many calls as the project may make. */
import { Costs } from "@plumbline/gateway"
import { Effect } from "effect"

import * as Operator from "../operator.ts"
import type { Cluster } from "./cluster.ts"
import type { Finding } from "./clusterFinding.ts"
import * as Load from "./clusterLoad.ts"

const COST = Costs.defaults.methods[Load.METHOD]!

/** Sends three times as many calls as the daily limit allows, from `clients` clients at once. */
export const exact = ({ counted, target }: Cluster, allowed: number, clients: number) =>
  Effect.promise(async (): Promise<ReadonlyArray<Finding>> => {
    // The last credits are too few for a call.
    const limits = { creditsPerDay: allowed * COST + COST - 1 }
    const project = await Operator.makeProject(target, "limits", { limits })
    const before = counted(Load.METHOD)
    const outcomes = await Load.flood(target, project.key, 3 * allowed, clients)
    const reached = counted(Load.METHOD).map((calls, index) => calls - before[index]!)
    const passed = outcomes.filter((status) => status === 200).length
    const refused = outcomes.filter((status) => status === 429).length
    const metered = Operator.answered(await Operator.usage(target, project.id))
    return [
      {
        claim: "through three processes, the calls let through are those that the day has room for",
        measured: `${passed} of ${outcomes.length} let through where ${allowed} may, ${refused} answered with 429`,
        holds: passed === allowed && refused === outcomes.length - allowed
      },
      {
        claim: "no refused call reaches a node, and every process has served",
        measured: `${reached.join(" + ")} calls at the node`,
        holds: reached.reduce((sum, calls) => sum + calls, 0) === allowed && reached.every((calls) => calls > 0)
      },
      {
        claim: "what was let through is what was metered",
        measured: `${metered} metered`,
        holds: metered === allowed
      }
    ]
  })
