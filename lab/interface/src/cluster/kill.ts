/** Kills a process in the middle of work, and checks that nginx continues and every acknowledged call was metered. */
import { setTimeout } from "node:timers/promises"

import { Effect } from "effect"

import type { Cluster } from "./cluster.ts"
import type { Finding } from "./clusterFinding.ts"
import * as Load from "./clusterLoad.ts"
import * as Readiness from "./readiness.ts"

/**
 * Loads the cluster for `millis` milliseconds with `clients` clients, half of them on WebSockets, and kills its last
 * process after half of that time.
 */
export const survived = ({ deployment, members, target }: Cluster, clients: number, millis: number) =>
  Effect.promise(async (): Promise<ReadonlyArray<Finding>> => {
    const killed = members.at(-1)!
    let after = 0
    const told = await Load.metered(target, { name: "kill", clients }, async (progress) => {
      await setTimeout(millis / 2)
      await killed.kill()
      // After this pause, calls that were being sent when the process died have been answered.
      await setTimeout(50)
      const before = progress.answered()
      await setTimeout(millis / 2)
      after = progress.answered() - before
    })
    const seen = await Readiness.until(false, deployment.readiness, killed, Readiness.LIMIT)
    const sum = (of: keyof Load.Tally) => told.reduce((sum, client) => sum + client[of], 0)
    const lost = sum("refused") + sum("unanswered")
    return [
      {
        claim: "nginx goes on with the other two when a process is killed",
        measured: `${after} calls by HTTP answered after it, ${lost} lost by ${clients} clients`,
        // Each client has at most one call without an answer.
        holds: after > 0 && lost <= clients
      },
      {
        claim: "the chart's probe finds the killed process within ten seconds",
        measured: Readiness.said(seen),
        holds: Readiness.arrived(seen)
      },
      {
        claim: "of each client every acknowledged call is metered, and no other but those that were never answered",
        measured: `${sum("acknowledged")} acknowledged, ${sum("metered")} metered, ${lost} never answered`,
        holds:
          sum("acknowledged") > 0 &&
          told.every(
            ({ acknowledged, metered, refused, unanswered }) =>
              metered >= acknowledged && metered <= acknowledged + refused + unanswered
          )
      }
    ]
  })
