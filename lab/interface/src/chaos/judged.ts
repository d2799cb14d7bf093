/** Combines the outcomes of the clients and the operator's observations into a finding. */
import type { Outcome } from "./checkedLoad.ts"
import type { Service } from "./operatedService.ts"
import type { Finding } from "./scenario.ts"

export interface Told {
  /** Sentences that describe what the metrics and health checks showed during the run. */
  readonly operator?: ReadonlyArray<string>
  readonly measured?: ReadonlyArray<string>
  /** The promises of a scenario, each with its outcome. */
  readonly promises?: Readonly<Record<string, boolean>>
  /** Maximum number of calls that may be metered although they were refused. Default: 0. */
  readonly mostUncertain?: number
}

/** Returns the finding. The log's warnings and errors are added to the operator's observations. */
export const finding = (
  outcome: Outcome,
  service: Service,
  { measured = [], mostUncertain = 0, operator = [], promises = {} }: Told
): Finding => {
  const { examples, lost, metered, pause, refused, right, sent, wrong } = outcome
  const beyond = Math.max(0, metered - right - wrong)
  return {
    sent,
    right,
    wrong,
    refused,
    lost,
    metered,
    uncertain: Math.min(beyond, mostUncertain),
    pause,
    operator: [...operator, ...[...service.log].map(([message, times]) => `log: ${message} (${times} times)`)],
    measured,
    broken: [
      ...examples.slice(0, 3).map((example) => `a wrong answer: ${example}`),
      ...Object.entries(promises).flatMap(([promise, holds]) => (holds ? [] : [promise]))
    ]
  }
}

/** Waits until the check holds. Returns false if it does not hold within the time. */
export const within = async (seconds: number, check: () => Promise<boolean> | boolean): Promise<boolean> => {
  const end = performance.now() + seconds * 1000
  for (;;) {
    // During a fault, the service may not answer the operator's question.
    const holds = await Promise.resolve()
      .then(check)
      .catch(() => false)
    if (holds) return true
    if (performance.now() > end) return false
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
