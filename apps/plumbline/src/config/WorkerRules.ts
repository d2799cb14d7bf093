/** The rules of a service with several workers. */
import type { SettingMistake } from "./ConfigMistake.ts"
import type { NetworkSettings } from "./NetworksSection.ts"

/** The bounds of a node's calls, which all processes together must keep. */
export const BUDGETS = ["requestsPerSecond", "requestsPerDay"] as const

/** Returns the number of processes that ask nodes: the workers, and the supervisor, which follows the heads. */
export const askers = (workers: number): number => workers + 1

/** Returns the mistakes of networks that this number of workers cannot serve. */
export const mistakes = (workers: number, networks: ReadonlyArray<NetworkSettings>): ReadonlyArray<SettingMistake> =>
  workers === 1
    ? []
    : networks.flatMap(({ integrity, name, upstreams }) =>
        upstreams.flatMap((upstream, index): ReadonlyArray<SettingMistake> => {
          const at = ["networks", name, "upstreams", index]
          if (upstream.embedded !== undefined && integrity !== "off") {
            const problem = "cannot be checked with several workers: leave out integrity, or set server.workers to 1"
            return [{ path: [...at, "embedded"], problem }]
          }
          return BUDGETS.flatMap((budget) =>
            (upstream[budget] ?? Infinity) >= askers(workers)
              ? []
              : [
                  {
                    path: [...at, budget],
                    problem: `must be at least ${askers(workers)} with ${workers} workers, because each process has a share of it`
                  }
                ]
          )
        })
      )
