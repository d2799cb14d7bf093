/**
 * The state of the IPFS nodes and of their cache, as `/health` shows it.
 */
import type { UpstreamState } from "../networks/Upstream.ts"

/**
 * The state of one node. `down`: other nodes are asked first. `lies`: the node recently gave bytes that do not match
 * their CID, and is asked last. `lies` counts such answers since the start.
 */
export interface IpfsNodeHealth {
  readonly name: string
  readonly state: UpstreamState
  readonly lies: number
}

/**
 * The figures of the cache since the start. `damaged` counts blocks in the folder that no longer matched their CID and
 * were removed. `problem` is the code of the folder's last error.
 */
export interface IpfsCacheHealth {
  readonly hits: number
  readonly misses: number
  readonly damaged: number
  readonly memoryBytes: number
  readonly diskBytes: number
  readonly problem?: string | undefined
}

/**
 * The state of the IPFS nodes, as in the answer of `/health`. It holds no secrets: the operator chose the names.
 */
export interface IpfsHealth {
  readonly nodes: ReadonlyArray<IpfsNodeHealth>
  /** The figures of the cache. Absent without a cache. */
  readonly cache?: IpfsCacheHealth | undefined
}
