/** The contents that a caller wants in a bundle. `ProofBundle` re-exports the types. */
import type * as BlockParameter from "@plumbline/eth-methods/model/BlockParameter"
import type * as CallRequest from "@plumbline/eth-methods/model/CallRequest"
import type * as Input from "@plumbline/eth-methods/model/Input"
import type * as Path from "@plumbline/storage-layout/path/Path"
import type * as ContractStorage from "@plumbline/storage-layout/read/ContractStorage"

/** The minimum content of a bundle. A node's proofs can prove more. */
export interface WantedContents {
  /** The block of the bundle. Default: `latest`. */
  readonly block?: BlockParameter.BlockParameter | undefined
  /** Accounts, some slots of their storage, and their code. */
  readonly accounts?: ReadonlyArray<WantedAccount> | undefined
  /**
   * Variables of contracts, by paths of their layouts. The bundle gets every word of the variables' values, and the
   * keys of entries. So a reader finds the names of the entries in the bundle.
   */
  readonly contracts?: ReadonlyArray<WantedContract> | undefined
  /** A call in the state after the block, with everything that it reads. The client must have an engine for calls. */
  readonly call?: WantedCall | undefined
  /** All transactions of the block. */
  readonly transactions?: boolean | undefined
  /** All receipts of the block, and its transactions, which are needed to read them. */
  readonly receipts?: boolean | undefined
  /** The headers of the block's uncles. */
  readonly uncles?: boolean | undefined
  /** The block access list (EIP-7928): the accounts and slots that the block touched, and what it wrote. */
  readonly accessList?: boolean | undefined
}

/** An account that a bundle must prove. */
export interface WantedAccount {
  readonly address: Input.Address
  readonly slots?: ReadonlyArray<Input.StorageKey> | undefined
  readonly code?: boolean | undefined
}

/** A call that a bundle must keep. */
export interface WantedCall {
  readonly request: CallRequest.CallRequest
  /** The function's signature, such as `balanceOf(address)(uint256)`, for readers who decode the result. */
  readonly signature?: string | undefined
}

/** A contract whose variables a bundle must prove. */
export interface WantedContract extends ContractStorage.StoredContract {
  readonly paths: ReadonlyArray<string | Path.ParsedPath>
  readonly code?: boolean | undefined
}
