/**
 * Checks that a change by one process takes effect in all processes within a second, and closes the WebSockets that it
 * concerns.
 */
import { Agent } from "node:http"
import { setTimeout } from "node:timers/promises"

import { Effect } from "effect"

import * as Operator from "../operator.ts"
import type { Operated } from "../target.ts"
import type { Cluster } from "./cluster.ts"
import type { Finding } from "./clusterFinding.ts"
import * as Load from "./clusterLoad.ts"

/** The promised time until a change takes effect, in milliseconds. */
const PROMISE = 1000

interface Change {
  readonly name: string
  /** Makes the change, on a project and its key. */
  readonly make: (service: Operated, project: string, key: string) => Promise<unknown>
  /** The HTTP status that shows that the change has taken effect. */
  readonly status: number
}

const changes: ReadonlyArray<Change> = [
  {
    name: "a key that is revoked",
    make: (service, _, key) => Operator.admin(service, "DELETE", `/keys/${key}`),
    status: 401
  },
  {
    name: "a key that is rotated without overlap",
    make: (service, _, key) => Operator.admin(service, "POST", `/keys/${key}/rotate`, { overlapSeconds: 0 }),
    status: 401
  },
  {
    name: "a project that is suspended",
    make: (service, project) => Operator.admin(service, "PATCH", `/projects/${project}`, { suspended: true }),
    status: 403
  },
  {
    name: "a limit that is changed",
    make: (service, project) =>
      Operator.admin(service, "PATCH", `/projects/${project}`, { limits: { creditsPerDay: 0 } }),
    status: 429
  }
]

/** Makes each change at the first process, and asks all processes repeatedly until each of them shows the change. */
export const seen = (cluster: Cluster) =>
  Effect.forEach(changes, (change) => Effect.promise(() => measured(cluster, change)))

const measured = async ({ members, target }: Cluster, { make, name, status }: Change): Promise<Finding> => {
  const project = await Operator.makeProject(target, "changes")
  const agent = new Agent({ keepAlive: true })
  const ask = ({ port }: Operated) => Load.overHttp({ ...target, port }, project.key, agent)
  // After this, all processes know the key and have cached it.
  for (const member of members) if ((await ask(member)) !== 200) throw new Error("a good key is refused")
  const sockets = await Promise.all(members.map(({ port }) => Load.idle({ ...target, port }, project.key)))
  await make(members[0]!, project.id, project.keyId)
  const changed = performance.now()

  /**
   * Returns the time of the last question that a process answered from the old state. The time is below zero if there
   * was no such question.
   */
  const lastOld = async (member: Operated): Promise<number> => {
    let last = -1
    for (;;) {
      const at = performance.now() - changed
      if ((await ask(member)) === status) return last
      if (at > 10 * PROMISE) return Number.POSITIVE_INFINITY
      last = at
      await setTimeout(5)
    }
  }

  const times = await Promise.all(members.map(lastOld))
  agent.destroy()
  // If a limit is exceeded, the WebSocket stays open and answers calls with the error of that limit.
  const stays = status === 429
  const closings = await Promise.all(
    sockets.map(async ({ closed, socket }) => {
      const closing = await Promise.race([closed, setTimeout(stays ? PROMISE : 10 * PROMISE)])
      socket.terminate()
      return closing
    })
  )
  const ends = closings.map((closing) =>
    closing === undefined ? "open" : `${closing.code} after ${(closing.at - changed).toFixed(0)} ms`
  )
  const shown = times.map((time) => (time < 0 ? "at once" : Number.isFinite(time) ? `${time.toFixed(0)} ms` : "never"))
  return {
    claim: `${name} by one process holds in all within a second${stays ? "" : ", and closes idle WebSockets with 1008"}`,
    measured: `last old answer to a question asked after: ${shown.join(", ")}; idle WebSockets: ${ends.join(", ")}`,
    holds:
      times.every((time) => time <= PROMISE) &&
      closings.every((closing) => (stays ? closing === undefined : closing?.code === 1008))
  }
}
