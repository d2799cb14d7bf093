/** Kills a process in the middle of work, and checks that nginx continues and every acknowledged call was metered. */
import { Agent } from "node:http"
import { setTimeout } from "node:timers/promises"

import { Effect } from "effect"

import * as Operator from "../operator.ts"
import type { Cluster } from "./cluster.ts"
import type { Finding } from "./clusterFinding.ts"
import * as Load from "./clusterLoad.ts"

/**
 * Loads the cluster for `millis` milliseconds with `clients` clients, half of them on WebSockets, and kills its last
 * process after half of that time. Each client has its own project. In a shared project, a lost call of one client
 * could hide behind another client's call that was metered without an answer.
 */
export const survived = ({ members, target }: Cluster, clients: number, millis: number) =>
  Effect.promise(async (): Promise<ReadonlyArray<Finding>> => {
    const projects = await Promise.all(
      Array.from({ length: clients }, (_, index) => Operator.makeProject(target, `kill ${index}`))
    )
    const agent = new Agent({ keepAlive: true })
    const state = { isOver: false }
    let killed = Number.POSITIVE_INFINITY
    let after = 0
    const http = async (key: string) => {
      const outcomes: Array<Load.Outcome> = []
      while (!state.isOver) {
        const outcome = await Load.overHttp(target, key, agent)
        outcomes.push(outcome)
        if (outcome === 200 && performance.now() > killed) after += 1
      }
      return outcomes
    }
    const running = projects.map(({ key }, index) =>
      index % 2 === 0 ? http(key) : Load.overSocket(target, key, () => state.isOver)
    )
    await setTimeout(millis / 2)
    await members.at(-1)!.kill()
    // By this time, calls that were being sent when the process died have been answered.
    killed = performance.now() + 50
    await setTimeout(millis / 2)
    state.isOver = true
    const outcomes = await Promise.all(running)
    agent.destroy()

    const told = await Promise.all(
      outcomes.map(async (outcomes, index) => {
        const acknowledged = outcomes.filter((status) => status === 200).length
        const metered = Operator.answered(await Operator.usage(target, projects[index]!.id))
        return { acknowledged, metered, unanswered: outcomes.length - acknowledged }
      })
    )
    const sum = (of: "acknowledged" | "metered" | "unanswered") => told.reduce((sum, client) => sum + client[of], 0)
    return [
      {
        claim: "nginx goes on with the other two when a process is killed",
        measured: `${after} calls by HTTP answered after it, ${sum("unanswered")} lost by ${clients} clients`,
        // Each client has at most one call without an answer.
        holds: after > 0 && sum("unanswered") <= clients
      },
      {
        claim: "of each client every acknowledged call is metered, and no other but those that were never answered",
        measured: `${sum("acknowledged")} acknowledged, ${sum("metered")} metered, ${sum("unanswered")} never answered`,
        holds:
          sum("acknowledged") > 0 &&
          told.every(
            ({ acknowledged, metered, unanswered }) => metered >= acknowledged && metered <= acknowledged + unanswered
          )
      }
    ]
  })
