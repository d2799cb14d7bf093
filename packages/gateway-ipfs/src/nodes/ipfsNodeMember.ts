/** The state of one of several IPFS nodes, according to reads and probes. */
import type { UpstreamState } from "@plumbline/gateway/networks/Upstream"
import type { IpfsNodeHealth } from "@plumbline/gateway/pipeline/IpfsHealth"
import type { IpfsNodeCommands } from "@plumbline/ipfs-client/node/IpfsNode"

/**
 * One of several nodes. Health and logs show the name, so it must not contain a secret.
 */
export interface NamedIpfsNode {
  readonly name: string
  readonly node: IpfsNodeCommands
  /** False for a node on this machine (default: true). The blocks of such a node are not cached. */
  readonly isRemote?: boolean | undefined
}

/** The state of a node. */
export class IpfsNodeMember {
  readonly name: string
  readonly node: NamedIpfsNode["node"]
  readonly isRemote: boolean
  /** True while probes of the node are under way. */
  isProbed = false
  /** Number of answers and faults of the node. While it stays the same, the node is silent. */
  heard = 0
  #state: UpstreamState = "untried"
  #failures = 0
  #lies = 0
  /** Time until which the node is asked last, because it gave wrong bytes. It is a time of the monotonic clock. */
  #restsUntil = Number.NEGATIVE_INFINITY
  readonly #limit: number

  constructor({ isRemote = true, name, node }: NamedIpfsNode, limit: number) {
    this.name = name
    this.node = node
    this.isRemote = isRemote
    this.#limit = limit
  }

  get isDown(): boolean {
    return this.#state === "down"
  }

  /** True if the node must be asked after the other nodes. */
  isLast(now: number): boolean {
    return this.isDown || now < this.#restsUntil
  }

  /** Records an answer. Returns true if the node was down before. */
  answered(): boolean {
    this.heard++
    const wasDown = this.isDown
    this.#failures = 0
    this.#state = "up"
    return wasDown
  }

  /** Records a fault. Returns true if the node is down because of it. */
  failed(): boolean {
    this.heard++
    if (this.isDown || ++this.#failures < this.#limit) return false
    this.#state = "down"
    return true
  }

  /**
   * Records that the node gave bytes that do not match the CID. The node is then asked last for `rest` milliseconds.
   * Returns false if the node was already being asked last.
   */
  lied(now: number, rest: number): boolean {
    this.heard++
    this.#lies++
    this.#state = "up"
    const isNew = now >= this.#restsUntil
    if (isNew) this.#restsUntil = now + rest
    return isNew
  }

  health(now: number): IpfsNodeHealth {
    const state = this.#state === "up" && now < this.#restsUntil ? "lies" : this.#state
    return { name: this.name, state, lies: this.#lies }
  }
}
