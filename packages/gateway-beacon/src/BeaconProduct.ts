/**
 * Light client data as a product of the gateway: the beacon API's calls of light clients below
 * `/<name>/v3/<key>/eth/v1/`, for programs such as `--beacon https://gateway.example/mainnet/v3/<key>`.
 */
import type { BeaconHealth } from "@plumbline/gateway/pipeline/BeaconHealth"
import type { GatewayProduct } from "@plumbline/gateway/pipeline/GatewayProduct"
import * as Setting from "@plumbline/gateway/schema/Setting"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

import type { BeaconArchive } from "./archive/BeaconArchive.ts"
import * as BeaconRoute from "./http/beaconRoute.ts"

/** A beacon chain that the gateway serves. */
export interface ServedChain {
  /**
   * The name in paths, allowlists and usage. It may be the name of a network of the gateway, such as the execution chain
   * of this beacon chain: then both have the same URL, and the hosts of the network lead to the beacon chain too.
   */
  readonly name: string
  readonly archive: BeaconArchive
}

/**
 * Makes the product, for the option `beacon` of `Gateway`. The gateway fails if a name is invalid or used twice.
 */
export const make = (chains: ReadonlyArray<ServedChain>): GatewayProduct<ReadonlyArray<BeaconHealth>> => ({
  resolved: Result.map(checked(chains), (byName) => ({
    routes: (serving) => [BeaconRoute.make(serving, byName)],
    health: Effect.forEach(chains, ({ archive, name }) =>
      Effect.map(archive.following, ({ follows, stopped }): BeaconHealth => {
        return { name, state: stopped ? "stopped" : follows ? "following" : "behind" }
      })
    )
  }))
})

const checked = (chains: ReadonlyArray<ServedChain>) => {
  const byName = new Map(chains.map(({ archive, name }) => [name, archive]))
  const invalid = chains.find(({ name }) => !/^[A-Za-z][A-Za-z0-9-]{0,62}$/u.test(name))
  if (invalid !== undefined) {
    const problem = "must be a letter, and then up to 62 letters, digits and hyphens"
    return Result.fail(Setting.badOption({ path: ["beacon", "name"], problem }))
  }
  return byName.size === chains.length
    ? Result.succeed(byName)
    : Result.fail(Setting.badOption({ path: ["beacon", "name"], problem: "must be another one for each chain" }))
}
