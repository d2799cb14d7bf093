/** Asks the probes of the chart as the kubelet does, and the metrics as Prometheus does. */
import { setTimeout } from "node:timers/promises"

import type { Pod, Probe } from "./chart.ts"

/** Milliseconds within which everything says that a part has stopped (docs/operate.md, "Alerts"). */
export const LIMIT = 10_000

/** Milliseconds within which everything says that it is back: the pause between two probes of a node, and a probe. */
export const RECOVERY = 15_000

/** The result of a wait. */
export interface Wait {
  /** Milliseconds until the awaited answer arrived; infinite if none arrived within the limit. */
  readonly millis: number
  /** The last sight, in words. */
  readonly last: string
}

/** The answer to one question, in words. */
interface Sight {
  readonly seen: string
  readonly isAwaited: boolean
}

/**
 * Waits until Kubernetes takes a process for ready, or no longer. Kubernetes sends calls to a process after one success,
 * and no calls after `failureThreshold` failures.
 */
export const until = (isReady: boolean, probe: Probe, pod: Pod, limit: number): Promise<Wait> => {
  let failures = 0
  return awaited(limit, probe.periodSeconds * 1000, async () => {
    const answer = await ask(probe, pod)
    failures = isSuccess(answer) ? 0 : failures + 1
    return { seen: seen(answer), isAwaited: isReady ? failures === 0 : failures >= probe.failureThreshold }
  })
}

/** Waits until a process itself answers the probe with a failure. A closed port is no answer. */
export const untilRefused = (probe: Probe, pod: Pod, limit: number): Promise<Wait> =>
  awaited(limit, 100, async () => {
    const answer = await ask(probe, pod)
    return { seen: seen(answer), isAwaited: answer.status !== undefined && !isSuccess(answer) }
  })

/** Waits until a metric of a process is 1, or 0. */
export const untilMetric = (name: string, isUp: boolean, { metricsPort }: Pod, limit: number): Promise<Wait> =>
  awaited(limit, 100, async () => {
    const answer = await fetched(`http://127.0.0.1:${metricsPort}/metrics`, SCRAPE)
    const line = answer.text.split("\n").find((line) => line.startsWith(`${name} `))
    return { seen: line ?? `${seen(answer)}, without ${name}`, isAwaited: line === `${name} ${isUp ? 1 : 0}` }
  })

/**
 * Asks the probe as often as Kubernetes does before it stops sending calls, `failureThreshold` times, and returns the
 * answers in words. A process that stays ready answers each with a success.
 */
export const samples = async (probe: Probe, pod: Pod): Promise<ReadonlyArray<{ seen: string; isSuccess: boolean }>> => {
  const found: Array<{ seen: string; isSuccess: boolean }> = []
  for (;;) {
    const answer = await ask(probe, pod)
    found.push({ seen: seen(answer), isSuccess: isSuccess(answer) })
    if (found.length >= probe.failureThreshold) return found
    await setTimeout(probe.periodSeconds * 1000)
  }
}

/** True if the awaited answer arrived within the limit. */
export const arrived = ({ millis }: Wait): boolean => Number.isFinite(millis)

/** Formats a wait. One without success says what was seen last. */
export const said = ({ last, millis }: Wait): string =>
  Number.isFinite(millis) ? `${millis.toFixed(0)} ms` : `never (last: ${last})`

/** Milliseconds in which a process must answer a request for its metrics. */
const SCRAPE = 3000

/** Asks again and again. An answer that arrives after `limit` milliseconds is too late, whatever it says. */
const awaited = async (limit: number, pause: number, look: () => Promise<Sight>): Promise<Wait> => {
  const began = performance.now()
  for (;;) {
    const { isAwaited, seen } = await look()
    const passed = performance.now() - began
    if (passed > limit) {
      const late = isAwaited ? `, too late, after ${passed.toFixed(0)} ms` : ""
      return { millis: Number.POSITIVE_INFINITY, last: `${seen}${late}` }
    }
    if (isAwaited) return { millis: passed, last: seen }
    await setTimeout(pause)
  }
}

/** The answer to a request. `status` is undefined without an answer, and `why` is then the reason. */
interface Fetched {
  readonly status: number | undefined
  readonly text: string
  readonly why: string
}

/** A status from 200 to 399 within the timeout is a success. */
const isSuccess = ({ status }: Fetched): boolean => status !== undefined && status >= 200 && status < 400

const seen = ({ status, why }: Fetched): string => (status === undefined ? why : `status ${status}`)

const ask = (probe: Probe, { port }: Pod): Promise<Fetched> =>
  fetched(`http://127.0.0.1:${port}${probe.path}`, probe.timeoutSeconds * 1000)

const fetched = async (url: string, deadline: number): Promise<Fetched> => {
  try {
    const response = await fetch(url, { redirect: "manual", signal: AbortSignal.timeout(deadline) })
    return { status: response.status, text: await response.text(), why: "" }
  } catch (error) {
    const isLate = error instanceof Error && error.name === "TimeoutError"
    return { status: undefined, text: "", why: isLate ? `no answer within ${deadline} ms` : "no connection" }
  }
}
