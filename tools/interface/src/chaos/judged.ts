/** Puts the outcome of clients and the sight of the operator together to a finding. */
import type { Outcome } from "./load.ts"
import type { Finding } from "./scenario.ts"
import type { Service } from "./service.ts"

export interface Told {
  /** Sentences about metrics and health that were seen. */
  readonly operator?: ReadonlyArray<string>
  readonly measured?: ReadonlyArray<string>
  /** The promises of a scenario, each with its outcome. */
  readonly promises?: Readonly<Record<string, boolean>>
  /** Maximum number of calls that may be metered although they were refused. Default: 0. */
  readonly mostUncertain?: number
}

/** Returns the finding. The log's warnings and errors are added to what the operator saw. */
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

/** Waits until the check holds. False if it does not within the time. */
export const within = async (seconds: number, check: () => Promise<boolean> | boolean): Promise<boolean> => {
  const end = performance.now() + seconds * 1000
  for (;;) {
    // A service in trouble may leave a question of its operator without an answer.
    const holds = await Promise.resolve()
      .then(check)
      .catch(() => false)
    if (holds) return true
    if (performance.now() > end) return false
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
