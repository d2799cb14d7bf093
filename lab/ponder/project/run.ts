/** The settings that the program which starts the indexer passes to it. */
import type { Abi, Address } from "viem"

interface Contract {
  readonly abi: Abi
  readonly at: ReadonlyArray<Address>
}

export interface Run {
  readonly chainId: number
  readonly node: string
  /** The folder of the database. */
  readonly folder: string
  readonly contracts: Readonly<Record<"Coin" | "Pool", Contract>>
  readonly trader: Address
  /** True to ask for traces, which no proof covers. */
  readonly traces: boolean
}

export const run: Run = JSON.parse(process.env["INDEXER_RUN"] ?? "null")
