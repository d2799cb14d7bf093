/** A node of a pool: whether it is up, as far as calls and probes have shown. */
import type { Upstream, UpstreamState } from "../Upstream.ts"
import type { UpstreamFault } from "../UpstreamFault.ts"

export class PoolMember {
  readonly name: string
  readonly upstream: Upstream
  readonly weight: number
  /** The number of its latest block when it was last asked. */
  height: bigint | undefined
  /** Blocks behind the first when they were last compared. */
  behind: number | undefined
  /** Whether these are too many. */
  isBehind = false
  /** Whether somebody asks it already, until it is known how it is. */
  isWatched = false
  /** False until it has said that it is of the right chain; again behind each fault, because another node may answer then. */
  isChecked = false
  /** Why it is not asked, while it is of another chain. */
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

  /** Whether its last answer was none. */
  get isInDoubt(): boolean {
    return this.#failures > 0
  }

  /** Its place before others: lower numbers are asked first. */
  get rank(): number {
    return this.wrong !== undefined ? 3 : this.isDown ? 2 : this.isBehind ? 1 : 0
  }

  answered(): void {
    this.#failures = 0
    this.#state = "up"
  }

  /** True if it is down from now on. */
  failed(): boolean {
    this.isChecked = false
    if (this.isDown || ++this.#failures < this.#limit) return false
    this.#state = "down"
    this.height = undefined
    return true
  }
}
