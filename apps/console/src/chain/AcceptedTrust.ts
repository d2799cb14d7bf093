/**
 * The reader's consent to anchors: to those that this service announces, and to those that a link names or the reader
 * chose. The browser keeps it until the reader revokes it.
 *
 * An anchor that the service announces is its word, and an anchor in a link is the word of the link's author. So the page
 * uses neither before the reader accepts it once, and says where each proof hangs.
 */
import * as Option from "effect/Option"
import * as AsyncResult from "effect/reactivity/AsyncResult"
import * as Atom from "effect/reactivity/Atom"

import { registry } from "../look/useAtom.ts"
import type { ConsoleRoute } from "../route/ConsoleRoute.ts"
import type { Network } from "./ConsoleNetworks.ts"
import * as PageSession from "./PageSession.ts"

/** An anchor that the service announces for a network. */
export interface AnnouncedAnchor {
  readonly kind: "checkpoint" | "block"
  /** The root of the beacon block, or the hash of the block. */
  readonly hash: string
  /** The anchor as `trust` of a link. */
  readonly trust: string
}

/** The consequence of the consent, in one sentence. */
export const MEANING =
  "A page that takes its anchor from the service is only as honest as the service: compare it with another source."

/** Returns the parts of an anchor as a link names it: its kind and its hash. */
export const partsOf = (trust: string): readonly [kind: AnnouncedAnchor["kind"], hash: string] =>
  trust.startsWith("checkpoint:") ? ["checkpoint", trust.slice("checkpoint:".length)] : ["block", trust]

type Announcing = Pick<Network, "name" | "chainId" | "beacon" | "anchor">

/** Returns the anchor that the service announces for a network; undefined if it announces none. */
export const announced = ({ anchor, beacon }: Announcing): AnnouncedAnchor | undefined =>
  beacon !== null
    ? { kind: "checkpoint", hash: beacon.checkpoint, trust: `checkpoint:${beacon.checkpoint}` }
    : anchor !== null
      ? { kind: "block", hash: anchor, trust: anchor }
      : undefined

/** The name in the storage, which holds a JSON list. */
const KEY = "plumbline-trusts"

/** Maximum number of kept consents. */
const MOST = 200

const stored = (): ReadonlyArray<string> => {
  try {
    const list: unknown = JSON.parse(localStorage.getItem(KEY) ?? "[]")
    return Array.isArray(list) ? list.filter((one) => typeof one === "string").slice(0, MOST) : []
  } catch {
    return []
  }
}

/**
 * Identifies the consent to an anchor that a link names: the hash of a block, or `checkpoint:` and a root. It holds for
 * the places of the network that name this anchor.
 */
export const idOf = (network: string, trust: string): string => `${network} ${trust}`

/**
 * Identifies the consent to the anchor that the service announces, which holds for all places of the network. A block is
 * pinned, so its consent names the block. The checkpoint moves on with the chain, so its consent names the chain: by its
 * genesis too, because another service, or the same one after a restart, can serve another chain with this name and id.
 */
export const idOfAnnounced = (network: Announcing): string => {
  const { anchor, beacon, chainId, name } = network
  const what = beacon === null && anchor !== null ? anchor : `checkpoint ${genesisOf(beacon?.network)}`
  return `${name} ${chainId} ${what}`
}

/** Returns the root of the first validators of a beacon network; an empty text for a file without it. */
const genesisOf = (file: unknown): string => {
  const { genesisValidatorsRoot: root } = (file ?? {}) as { readonly genesisValidatorsRoot?: unknown }
  return typeof root === "string" ? root.toLowerCase() : ""
}

/** The ids of the consents. */
export const consents: Atom.Writable<ReadonlyArray<string>> = Atom.keepAlive(Atom.make<ReadonlyArray<string>>(stored()))

const keep = (ids: ReadonlyArray<string>): void => {
  registry.set(consents, ids)
  try {
    if (ids.length === 0) localStorage.removeItem(KEY)
    else localStorage.setItem(KEY, JSON.stringify(ids))
  } catch {
    // without storage, the consent lasts as long as the page
  }
}

const without = (ids: ReadonlyArray<string>): ReadonlyArray<string> =>
  registry.get(consents).filter((one) => !ids.includes(one))

const add = (id: string): void => keep([id, ...without([id])].slice(0, MOST))

/** Accepts the announced anchor of a network. */
export const accept = (network: Announcing): void => add(idOfAnnounced(network))

/** Accepts an anchor that a link names, or that the reader chose. */
export const choose = (network: string, trust: string): void => add(idOf(network, trust))

/** Revokes the consent to an anchor of a network, and to the announced one if it is that. */
export const revoke = (network: Announcing, trust: string): void =>
  keep(without([idOf(network.name, trust), ...(announced(network)?.trust === trust ? [idOfAnnounced(network)] : [])]))

/** The anchor of each network whose announced anchor the reader accepts, by the network's name. */
export const accepted: Atom.Atom<ReadonlyMap<string, AnnouncedAnchor>> = Atom.keepAlive(
  Atom.make((get) => {
    const ids = get(consents)
    const networks = Option.match(AsyncResult.value(get(PageSession.start)), {
      onNone: () => [],
      onSome: ({ networks }) => networks
    })
    return new Map(
      networks.flatMap((network) => {
        const anchor = announced(network)
        return anchor !== undefined && ids.includes(idOfAnnounced(network)) ? [[network.name, anchor] as const] : []
      })
    )
  })
)

/** A place whose proofs hang from an anchor. */
export type HangingPlace = Extract<
  ConsoleRoute,
  {
    readonly _tag: "Block" | "Transaction" | "Account" | "Name" | "Proof" | "Playground" | "Storage" | "Contract"
  }
>

/** Returns the place if its proofs hang from an anchor. */
export const hanging = (place: ConsoleRoute): HangingPlace | undefined => {
  switch (place._tag) {
    case "Block":
    case "Transaction":
    case "Account":
    case "Name":
    case "Proof":
    case "Playground":
    case "Storage":
    case "Contract":
      return place
    default:
      return undefined
  }
}

/** The anchors that the reader accepts: the announced ones by the name of their network, and the ids of all consents. */
export interface Acceptance {
  readonly anchors: ReadonlyMap<string, AnnouncedAnchor>
  readonly ids: ReadonlyArray<string>
}

/** True if the reader accepts an anchor of a network. */
export const isAccepted = ({ anchors, ids }: Acceptance, network: string, trust: string): boolean =>
  ids.includes(idOf(network, trust)) || anchors.get(network)?.trust === trust

/**
 * Returns a place with the anchor from which its proofs hang: that of its link if the reader accepts it, otherwise the
 * accepted anchor that the service announces. Without either, the place has no anchor.
 */
export const applied = (place: ConsoleRoute, acceptance: Acceptance): ConsoleRoute => {
  const hung = hanging(place)
  if (hung === undefined) return place
  const { network, trust } = hung
  if (trust !== undefined && isAccepted(acceptance, network, trust)) return place
  return { ...hung, trust: acceptance.anchors.get(network)?.trust }
}
