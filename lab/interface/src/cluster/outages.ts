/**
 * The outage drill: Postgres stops, Redis stops, and Kubernetes ends a process, while clients call. Readiness is what the
 * chart's probe reads, metrics are at the port that its ServiceMonitor reads, and a process has the chart's time to end.
 */
import { setTimeout } from "node:timers/promises"

import { Effect } from "effect"

import type { Cluster } from "./cluster.ts"
import type { Finding } from "./clusterFinding.ts"
import * as Load from "./clusterLoad.ts"
import * as Readiness from "./readiness.ts"

/** Runs the drill under `clients` clients, each with a project that has limits, and checks their usage afterwards. */
export const survived = (cluster: Cluster, clients: number) =>
  Effect.promise(async (): Promise<ReadonlyArray<Finding>> => {
    const findings: Array<Finding> = []
    const limits = { creditsPerDay: 1_000_000_000 }
    const tallies = await Load.metered(cluster.target, { name: "outage", clients, limits }, async (progress) => {
      await answeredAgain(progress)
      findings.push(await postgresStops(cluster, progress))
      findings.push(await redisStops(cluster, progress))
      findings.push(await processEnds(cluster, progress))
    })
    const sum = (of: keyof Load.Tally) => tallies.reduce((sum, client) => sum + client[of], 0)
    findings.push({
      claim: "through all outages every acknowledged call of each client is metered, and none twice",
      measured: `${sum("acknowledged")} acknowledged, ${sum("metered")} metered, ${sum("refused")} refused, ${sum("unanswered")} never answered`,
      holds: tallies.every(
        ({ acknowledged, metered, unanswered }) =>
          acknowledged > 0 &&
          metered >= acknowledged &&
          // One call of each client can be in the batch that Postgres was committing when it crashed.
          metered <= acknowledged + unanswered + 1
      )
    })
    return findings
  })

const postgresStops = async (cluster: Cluster, progress: Load.Progress): Promise<Finding> => {
  const { deployment, members, servers } = cluster
  const refused = progress.refused()
  await Effect.runPromise(servers.postgres.crash)
  const seen = await Promise.all(
    members.map((pod) => Readiness.until(false, deployment.readiness, pod, Readiness.LIMIT))
  )
  const wereRefused = await grows(progress.refused, refused, Readiness.LIMIT)
  await Effect.runPromise(servers.postgres.start)
  const back = await Promise.all(
    members.map((pod) => Readiness.until(true, deployment.readiness, pod, Readiness.RECOVERY))
  )
  const answered = await answeredAgain(progress)
  return {
    claim: "without Postgres no process is ready within ten seconds and calls are refused; with it all are ready again",
    measured: `not ready after ${seen.map(Readiness.said).join(", ")}; ready after ${back.map(Readiness.said).join(", ")}; ${callsSaid(wereRefused, answered)}`,
    holds: [...seen, ...back].every(Readiness.arrived) && wereRefused && answered
  }
}

const callsSaid = (wereRefused: boolean, answered: boolean): string =>
  `calls ${wereRefused ? "refused" : "not refused"}, then ${answered ? "answered" : "not answered"}`

const redisStops = async (cluster: Cluster, progress: Load.Progress): Promise<Finding> => {
  const { deployment, members, servers } = cluster
  const metrics = (isUp: boolean, limit: number) =>
    Promise.all(members.map((pod) => Readiness.untilMetric("plumbline_limiter_up", isUp, pod, limit)))
  const refused = progress.refused()
  await Effect.runPromise(servers.redis.kill)
  const seen = await metrics(false, Readiness.LIMIT)
  const samples = (await Promise.all(members.map((pod) => Readiness.samples(deployment.readiness, pod)))).flat()
  const failed = samples.filter(({ isSuccess }) => !isSuccess).map(({ seen }) => seen)
  const wereRefused = await grows(progress.refused, refused, Readiness.LIMIT)
  await Effect.runPromise(servers.redis.start)
  const back = await metrics(true, Readiness.RECOVERY)
  const answered = await answeredAgain(progress)
  return {
    claim:
      "without Redis the metrics say so within ten seconds, calls with limits are refused, and processes stay ready",
    measured: `seen after ${seen.map(Readiness.said).join(", ")}; gone after ${back.map(Readiness.said).join(", ")}; ${samples.length - failed.length} of ${samples.length} probes ready${failed.map((seen) => `, one ${seen}`).join("")}; ${callsSaid(wereRefused, answered)}`,
    holds: [...seen, ...back].every(Readiness.arrived) && failed.length === 0 && wereRefused && answered
  }
}

/** Ends the second process as Kubernetes does, and starts another one in its place. */
export const processEnds = async (
  cluster: Pick<Cluster, "deployment" | "members">,
  progress: Load.Progress
): Promise<Finding> => {
  const { deployment, members } = cluster
  const pod = members[1]!
  const lost = progress.lost()
  const ending = pod.stop()
  const seen = await Readiness.untilRefused(deployment.readiness, pod, Readiness.LIMIT)
  const took = await ending
  const grace = deployment.terminationGracePeriodSeconds
  const isInTime = took < grace * 1000
  const end = isInTime
    ? `ended after ${took.toFixed(0)} ms of ${grace} s`
    : `still ran after the ${grace} s of terminationGracePeriodSeconds and was killed, as Kubernetes does`
  await pod.restart()
  const back = await Readiness.until(true, deployment.readiness, pod, Readiness.RECOVERY)
  const answered = await answeredAgain(progress)
  const calls = progress.lost() - lost
  return {
    claim:
      "a process that gets SIGTERM is not ready before it closes its port, ends in the chart's time, and loses no call",
    measured: `not ready after ${Readiness.said(seen)}, ${end}, its successor ready after ${Readiness.said(back)}, ${calls} calls lost over HTTP and WebSocket`,
    holds: Readiness.arrived(seen) && isInTime && Readiness.arrived(back) && answered && calls === 0
  }
}

/** Returns true if a hundred more calls are answered within the time of a recovery. */
const answeredAgain = ({ answered }: Load.Progress) => grows(answered, answered() + 100, Readiness.RECOVERY)

/** Returns true if a count exceeds a number within `limit` milliseconds. A count that exceeds it later is too late. */
const grows = async (count: () => number, number: number, limit: number): Promise<boolean> => {
  const began = performance.now()
  for (;;) {
    const isMore = count() > number
    if (performance.now() - began > limit) return false
    if (isMore) return true
    await setTimeout(100)
  }
}
