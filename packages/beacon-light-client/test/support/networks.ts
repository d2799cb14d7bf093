/** Networks for tests. */
import { Fork, MadeNetwork, type Network } from "@plumbline/beacon-light-client"

/** Makes a network of these forks, `apart` epochs from one to the next. `change` replaces parts of it. */
export const minimal = (
  apart: bigint,
  forks: ReadonlyArray<Fork.Fork> = Fork.all,
  change: Partial<Network.Network> = {}
): Network.Network => {
  const made = MadeNetwork.make({ apart, name: "minimal" })
  return Object.assign({}, made, { forks: made.forks.slice(0, forks.length) }, change)
}

/**
 * A network with every fork from Altair to Gloas, 12 epochs each, so that forks begin in the middle and at the start of
 * periods.
 */
export const allForks: Network.Network = minimal(12n)
