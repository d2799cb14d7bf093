/** The trust that a reader can choose for a page that is not proven yet: a block's hash, or a light client. */
import type { Network } from "../chain/Networks.ts"
import * as Place from "../route/Place.ts"

/** A page that is not proven yet. */
export interface Offer {
  readonly network: string
  /** The hash of the page's block. */
  readonly hash: string
  /** The words of the link that trusts the hash, such as `Trust this hash`. */
  readonly label: string
  /** The trust of the page as it is; undefined if the reader chose none. */
  readonly trust: string | undefined
  /** Returns the same page with another trust. */
  readonly placeOf: (trust: string) => Place.Place
}

/** The links to the page with each trust. */
export interface Links {
  readonly hash: string
  /** Undefined if the service announces no checkpoint of the network, or the page hangs from it already. */
  readonly light: string | undefined
}

/** Returns the links of an offer. */
export const linksOf = (
  { hash, network, placeOf, trust }: Offer,
  networks: ReadonlyArray<Pick<Network, "name" | "beacon">>
): Links => {
  const checkpoint = networks.find(({ name }) => name === network)?.beacon?.checkpoint
  const light = checkpoint === undefined ? undefined : `checkpoint:${checkpoint}`
  return {
    hash: Place.link(placeOf(hash)).href,
    light: light === undefined || light === trust ? undefined : Place.link(placeOf(light)).href
  }
}
