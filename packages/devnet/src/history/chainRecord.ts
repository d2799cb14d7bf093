/** The record of the history chain: the data behind `HistoryChain`, read from `history/chain.json`. */
import { readFileSync } from "node:fs"

import type * as PreparedState from "../anvil/PreparedState.ts"

type Hex = `0x${string}`

export interface RecordedTransaction {
  readonly hash: Hex
  /** The type of the transaction (EIP-2718), `0x0` to `0x4`. */
  readonly type: Hex
  /** True if the transaction had an effect, false if it was included but failed. */
  readonly success: boolean
  /** The purpose of the transaction, in a few words. */
  readonly title: string
}

export interface RecordedBlock {
  readonly number: number
  readonly hash: Hex
  /** The time in seconds since 1970. */
  readonly timestamp: number
  /** The name of the fork whose rules the block follows. */
  readonly fork: string
  readonly title: string
  /** Hashes of the block's uncles. */
  readonly uncles: ReadonlyArray<Hex>
  readonly transactions: ReadonlyArray<RecordedTransaction>
}

export interface RecordedFork {
  readonly name: string
  /** The number of the fork's first block. */
  readonly block: number
}

/** The content of `history/chain.json`. */
export interface ChainRecord {
  readonly chainId: number
  /** The Keccak-256 of the archive. */
  readonly archive: Hex
  readonly forks: ReadonlyArray<RecordedFork>
  readonly contracts: {
    readonly [id in "elder" | "token" | "counter" | "counterV2" | "proxy" | "cabinet"]: PreparedState.PreparedContract
  }
  readonly blocks: ReadonlyArray<RecordedBlock>
}

/** The file that `scripts/make-history.ts` writes beside the archive. */
export const recordFile: URL = new URL("../../history/chain.json", import.meta.url)

export const record: ChainRecord = JSON.parse(readFileSync(recordFile, "utf8"))
