/** The trust that a reader can choose for a page that is not proven yet: a block's hash, or a light client. */
import type { Network } from "../chain/ConsoleNetworks.ts"
import * as ConsoleRoute from "../route/ConsoleRoute.ts"

/** A page that is not proven yet. */
export interface UnprovenPage {
  readonly network: string
  /** The hash of the page's block. */
  readonly hash: string
  /** The words of the link that trusts the hash, such as `Trust this hash`. */
  readonly label: string
  /** The trust of the page as it is; undefined if the reader chose none. */
  readonly trust: string | undefined
  /** Returns the same page with another trust. */
  readonly placeOf: (trust: string) => ConsoleRoute.ConsoleRoute
}

/** The links to the page with each trust. */
export interface TrustLinks {
  readonly hash: string
  /** Undefined if the service announces no checkpoint of the network, or the page hangs from it already. */
  readonly light: string | undefined
}

/** Returns the links of an offer. */
export const linksOf = (
  { hash, network, placeOf, trust }: UnprovenPage,
  networks: ReadonlyArray<Pick<Network, "name" | "beacon">>
): TrustLinks => {
  const checkpoint = networks.find(({ name }) => name === network)?.beacon?.checkpoint
  const light = checkpoint === undefined ? undefined : `checkpoint:${checkpoint}`
  return {
    hash: ConsoleRoute.link(placeOf(hash)).href,
    light: light === undefined || light === trust ? undefined : ConsoleRoute.link(placeOf(light)).href
  }
}
