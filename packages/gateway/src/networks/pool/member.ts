/** The state of one node of a pool, according to calls and probes. */
import type { Upstream, UpstreamState } from "../Upstream.ts"
import type { UpstreamFault } from "../UpstreamFault.ts"

export class PoolMember {
  readonly name: string
  readonly upstream: Upstream
  readonly weight: number
  /** The number of its latest block at the last probe. */
  height: bigint | undefined
  /** Blocks behind the highest at the last comparison. */
  behind: number | undefined
  /** True if it is too many blocks behind. */
  isBehind = false
  /** True while a probe of it is under way. */
  isWatched = false
  /**
   * True once it has returned the right chain id; false again after each fault, because another node may answer then.
   */
  isChecked = false
  /** The reason why it is not asked, while it is of another chain. */
  wrong: UpstreamFault | undefined
  readonly #limit: number
  #failures = 0
  #state: UpstreamState = "untried"

  constructor(name: string, upstream: Upstream, weight: number, limit: number) {
    this.name = name
    this.upstream = upstream
    this.weight = weight
    this.#limit = limit
  }

  get state(): UpstreamState {
    return this.wrong === undefined ? this.#state : "wrong"
  }

  get isDown(): boolean {
    return this.#state === "down"
  }

  /** True if its last call ended without an answer. */
  get isInDoubt(): boolean {
    return this.#failures > 0
  }

  /** Its rank among the nodes: lower numbers are asked first. */
  get rank(): number {
    return this.wrong !== undefined ? 3 : this.isDown ? 2 : this.isBehind ? 1 : 0
  }

  answered(): void {
    this.#failures = 0
    this.#state = "up"
  }

  /** Notes a fault. Returns true if the node is down from now on. */
  failed(): boolean {
    this.isChecked = false
    if (this.isDown || ++this.#failures < this.#limit) return false
    this.#state = "down"
    this.height = undefined
    return true
  }
}
