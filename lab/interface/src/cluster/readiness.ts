/** Asks the probes of the chart as the kubelet does. */
import { setTimeout } from "node:timers/promises"

import type { Pod, Probe } from "./chart.ts"

/** Milliseconds within which everything says that a part has stopped (docs/operate.md, "Alerts"). */
export const LIMIT = 10_000

/** Milliseconds within which everything says that it is back: the pause between two probes of a node, and a probe. */
export const RECOVERY = 15_000

/**
 * Waits until Kubernetes takes a process for ready, or no longer, and returns the milliseconds that it took; infinite
 * after `limit`. Kubernetes sends calls to a process after one success, and no calls after `failureThreshold` failures.
 */
export const until = async (isReady: boolean, probe: Probe, pod: Pod, limit: number): Promise<number> => {
  const began = performance.now()
  let failures = 0
  for (;;) {
    failures = (await succeeds(probe, pod)) ? 0 : failures + 1
    const passed = performance.now() - began
    if (isReady ? failures === 0 : failures >= probe.failureThreshold) return passed
    if (passed > limit) return Number.POSITIVE_INFINITY
    await setTimeout(probe.periodSeconds * 1000)
  }
}

/**
 * Waits until a process itself answers the probe with a failure, and returns the milliseconds that it took; infinite
 * after `limit`. A closed port is no answer.
 */
export const untilRefused = async (probe: Probe, pod: Pod, limit: number): Promise<number> => {
  const began = performance.now()
  for (;;) {
    const status = await ask(probe, pod)
    const passed = performance.now() - began
    if (status !== undefined && !isSuccess(status)) return passed
    if (passed > limit) return Number.POSITIVE_INFINITY
    await setTimeout(100)
  }
}

/** Asks a probe once. A status from 200 to 399 within the timeout is a success. */
export const succeeds = async (probe: Probe, pod: Pod): Promise<boolean> => {
  const status = await ask(probe, pod)
  return status !== undefined && isSuccess(status)
}

const isSuccess = (status: number): boolean => status >= 200 && status < 400

const ask = async (probe: Probe, { port }: Pod): Promise<number | undefined> => {
  try {
    const signal = AbortSignal.timeout(probe.timeoutSeconds * 1000)
    const response = await fetch(`http://127.0.0.1:${port}${probe.path}`, { redirect: "manual", signal })
    await response.arrayBuffer()
    return response.status
  } catch {
    return undefined
  }
}

/** Formats milliseconds. */
export const said = (millis: number): string => (Number.isFinite(millis) ? `${millis.toFixed(0)} ms` : "never")
