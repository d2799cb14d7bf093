/** The contents that a caller wants in a bundle. `ProofBundle` re-exports the types. */
import type * as Address from "@plumbline/codec/value/Address"
import type * as BlockParameter from "@plumbline/eth-methods/model/BlockParameter"
import type * as StorageKey from "@plumbline/eth-methods/model/StorageKey"
import type * as Path from "@plumbline/storage-layout/path/Path"
import type * as ContractStorage from "@plumbline/storage-layout/read/ContractStorage"

/** The least that a bundle must hold. Nodes that prove one thing can prove more. */
export interface Wanted {
  /** Default: `latest`. */
  readonly block?: BlockParameter.BlockParameter | undefined
  /** Accounts, some slots of their storage, and their code. */
  readonly accounts?: ReadonlyArray<WantedAccount> | undefined
  /**
   * Variables of contracts, by paths of their layouts, with every word that their values are made of, and with the keys of
   * entries, so that a reader learns their names from the bundle.
   */
  readonly contracts?: ReadonlyArray<WantedContract> | undefined
  /** All transactions of the block. */
  readonly transactions?: boolean | undefined
  /** All receipts of the block, and its transactions, without which they cannot be read. */
  readonly receipts?: boolean | undefined
  /** The headers of the block's uncles. */
  readonly uncles?: boolean | undefined
}

/** An account that a bundle must prove. */
export interface WantedAccount {
  readonly address: Address.Address
  readonly slots?: ReadonlyArray<StorageKey.StorageKey> | undefined
  readonly code?: boolean | undefined
}

/** A contract whose variables a bundle must prove. */
export interface WantedContract extends ContractStorage.Contract {
  readonly paths: ReadonlyArray<string | Path.Path>
  readonly code?: boolean | undefined
}
