/** The share of a worker in what the settings give to the whole service. */
import { availableParallelism } from "node:os"

import { SettingError } from "@plumbline/gateway/errors/SettingError"
import * as Effect from "effect/Effect"

import * as ConfigMistake from "../config/ConfigMistake.ts"
import type { NetworkSettings, ServiceSettings } from "../config/ServiceSettings.ts"
import * as WorkerRules from "../config/WorkerRules.ts"

/**
 * Returns the settings of one of the processes of a service. A node's budget is divided, so that all processes together
 * keep it; so are the threads that run calls.
 */
export const shareOf = (settings: ServiceSettings, workers: number): ServiceSettings =>
  workers === 1
    ? settings
    : {
        ...settings,
        calls: {
          ...settings.calls,
          threads: Math.max(
            1,
            Math.floor((settings.calls.threads ?? Math.max(1, Math.min(4, availableParallelism() - 1))) / workers)
          )
        },
        networks: settings.networks.map((network) => ({
          ...network,
          upstreams: network.upstreams.map((upstream) => withShare(upstream, WorkerRules.askers(workers)))
        }))
      }

/**
 * Returns the share of settings that are read again. The number of workers stays that of the start, also if the file has
 * another one, so its rules are checked again.
 */
export const shareOfChanged = (
  settings: ServiceSettings,
  workers: number
): Effect.Effect<ServiceSettings, SettingError> => {
  const [refused] = WorkerRules.mistakes(workers, settings.networks)
  return refused === undefined
    ? Effect.succeed(shareOf(settings, workers))
    : Effect.fail(new SettingError({ setting: ConfigMistake.formatPath(refused.path), problem: refused.problem }))
}

const withShare = (
  upstream: NetworkSettings["upstreams"][number],
  processes: number
): NetworkSettings["upstreams"][number] => {
  const shared = { ...upstream }
  for (const name of WorkerRules.BUDGETS) {
    const whole = upstream[name]
    if (whole !== undefined) shared[name] = Math.floor(whole / processes)
  }
  return shared
}
