/** The state of one IPFS node of several, according to reads and probes. */
import type { Node } from "@plumbline/ipfs-client/node/IpfsNode"

import type { UpstreamState } from "../../networks/Upstream.ts"
import type { NodeHealth } from "../../settings/IpfsOptions.ts"

/**
 * A node of several. The name is shown in health and logs: it must hold no secret.
 */
export interface Member {
  readonly name: string
  readonly node: Node
  /** False for a node of this machine, whose blocks are not cached. Default: true. */
  readonly isRemote?: boolean | undefined
}

/** The state of a node. */
export class NodeMember {
  readonly name: string
  readonly node: Member["node"]
  readonly isRemote: boolean
  /** True while a probe of it is under way. */
  isProbed = false
  #state: UpstreamState = "untried"
  #failures = 0
  #lies = 0
  /** The time, of the monotonic clock, until which it is asked last, because it gave wrong bytes. */
  #restsUntil = Number.NEGATIVE_INFINITY
  readonly #limit: number

  constructor({ isRemote = true, name, node }: Member, limit: number) {
    this.name = name
    this.node = node
    this.isRemote = isRemote
    this.#limit = limit
  }

  get isDown(): boolean {
    return this.#state === "down"
  }

  /** True if it is asked after the others. */
  isLast(now: number): boolean {
    return this.isDown || now < this.#restsUntil
  }

  /** Notes an answer. Returns true if the node was down. */
  answered(): boolean {
    const wasDown = this.isDown
    this.#failures = 0
    this.#state = "up"
    return wasDown
  }

  /** Notes a fault. Returns true if the node is down from now on. */
  failed(): boolean {
    if (this.isDown || ++this.#failures < this.#limit) return false
    this.#state = "down"
    return true
  }

  /** Notes bytes that do not match their CID. Returns true if the node rests from now on. */
  lied(now: number, rest: number): boolean {
    this.#lies++
    this.#state = "up"
    const isNew = now >= this.#restsUntil
    if (isNew) this.#restsUntil = now + rest
    return isNew
  }

  health(now: number): NodeHealth {
    const state = this.#state === "up" && now < this.#restsUntil ? "wrong" : this.#state
    return { name: this.name, state, lies: this.#lies }
  }
}
