/** Reads ERC-721 tokens with layouts that many collections share. As in `Erc20`, the caller names the layout. */
import type * as Address from "@plumbline/codec/value/Address"
import type * as Input from "@plumbline/eth-methods/model/Input"
import * as Verdict from "@plumbline/verdict/Verdict"
import * as Effect from "effect/Effect"

import type { Layout } from "../layout/Layout.ts"
import * as ContractAddresses from "../read/contractAddresses.ts"
import * as ContractStorage from "../read/ContractStorage.ts"
import type { Flaw } from "../value/Value.ts"
import * as Declared from "./declared.ts"
import * as Erc7201 from "./Erc7201.ts"

/** A layout, and the paths in it to the values that a collection's functions return. */
export interface KnownErc721 {
  readonly layout: Layout
  readonly name: string
  readonly symbol: string
  readonly ownerOf: (token: bigint) => string
  readonly balanceOf: (holder: Input.Address) => string
  readonly getApproved: (token: bigint) => string
  readonly isApprovedForAll: (owner: Input.Address, operator: Input.Address) => string
}

const known = (layout: Layout, prefix: string, names: ReadonlyArray<string>): KnownErc721 => {
  const [name, symbol, owners, balances, approvals, operators] = names.map((name) => prefix + name)
  return {
    layout,
    name: name!,
    symbol: symbol!,
    ownerOf: (token) => `${owners}[${token}]`,
    balanceOf: (holder) => `${balances}[${holder.toLowerCase()}]`,
    getApproved: (token) => `${approvals}[${token}]`,
    isApprovedForAll: (owner, operator) => `${operators}[${owner.toLowerCase()}][${operator.toLowerCase()}]`
  }
}

const declared = (names: ReadonlyArray<string>, first = 0n): Layout => {
  const types = [
    "string",
    "string",
    "mapping(uint256 => address)",
    "mapping(address => uint256)",
    "mapping(uint256 => address)",
    "mapping(address => mapping(address => bool))"
  ]
  return Declared.layout({ first, variables: types.map((type, i) => `${type} ${names[i]!}`) })
}

const OPEN_ZEPPELIN = ["_name", "_symbol", "_owners", "_balances", "_tokenApprovals", "_operatorApprovals"]
const SOLMATE = ["name", "symbol", "_ownerOf", "_balanceOf", "getApproved", "isApprovedForAll"]

/** OpenZeppelin's `ERC721`, versions 4 and 5, if it is the first contract that the collection inherits from. */
export const openZeppelin: KnownErc721 = /* @__PURE__ */ known(
  /* @__PURE__ */ declared(OPEN_ZEPPELIN),
  "",
  OPEN_ZEPPELIN
)

/**
 * OpenZeppelin's `ERC721Upgradeable` 4. Its variables follow the slots of `Initializable`, `ContextUpgradeable` and
 * `ERC165Upgradeable`.
 */
export const openZeppelinUpgradeable4: KnownErc721 = /* @__PURE__ */ known(
  /* @__PURE__ */ declared(OPEN_ZEPPELIN, 101n),
  "",
  OPEN_ZEPPELIN
)

/** OpenZeppelin's `ERC721Upgradeable` 5. Its variables are in the namespace `openzeppelin.storage.ERC721`. */
export const openZeppelinUpgradeable5: KnownErc721 = /* @__PURE__ */ known(
  Erc7201.openZeppelin,
  'erc7201("openzeppelin.storage.ERC721").',
  OPEN_ZEPPELIN
)

/** Solmate's `ERC721`, if it is the first contract that the collection inherits from. */
export const solmate: KnownErc721 = /* @__PURE__ */ known(/* @__PURE__ */ declared(SOLMATE), "", SOLMATE)

/** The tokens and holders to read, and the block. */
export interface Erc721Options extends ContractStorage.ContractStorageOptions {
  readonly tokens?: ReadonlyArray<bigint> | undefined
  readonly holders?: ReadonlyArray<Input.Address> | undefined
}

export { defaults } from "../read/ContractStorage.ts"

/** A token of a collection. An address is all zeros if the token has no owner, or no approved account. */
export interface Erc721Token {
  readonly owner: Address.Address
  readonly approved: Address.Address
}

/** The values that a collection's functions return. */
export interface Erc721Collection {
  readonly name: string | Flaw
  readonly symbol: string | Flaw
  /** The tokens, in the requested order. */
  readonly tokens: ReadonlyArray<Erc721Token>
  /** The balances, in the order of the requested holders. */
  readonly balances: ReadonlyArray<bigint>
}

/**
 * Reads a collection: all values at one block, in the same calls.
 *
 * ```ts import.meta.vitest
 * import { Erc721 } from "@plumbline/storage-layout"
 *
 * Erc721.openZeppelinUpgradeable5.ownerOf(7n) // => 'erc7201("openzeppelin.storage.ERC721")._owners[7]'
 * ```
 */
export const read = Effect.fnUntraced(function* (
  address: Input.Address,
  collection: KnownErc721,
  options: Erc721Options = {}
): Effect.fn.Return<
  Verdict.Verdict<ContractStorage.StorageReading<Erc721Collection>>,
  Effect.Error<ContractStorage.VerdictReading<Erc721Collection>>,
  ContractStorage.ContractStorage
> {
  const { holders = [], tokens = [] } = options
  yield* Effect.fromResult(ContractAddresses.all("holders", holders))
  const paths = [
    collection.name,
    collection.symbol,
    ...tokens.flatMap((token) => [collection.ownerOf(token), collection.getApproved(token)]),
    ...holders.map(collection.balanceOf)
  ]
  const storage = yield* ContractStorage.ContractStorage
  const verdict = yield* storage.readMany({ address, layout: collection.layout }, paths, options)
  const [name, symbol, ...rest] = verdict.value.variables.map(({ value }) => value)
  const read: Erc721Collection = {
    name: name as Erc721Collection["name"],
    symbol: symbol as Erc721Collection["symbol"],
    tokens: tokens.map((_, i) => ({
      owner: rest[2 * i] as Address.Address,
      approved: rest[2 * i + 1] as Address.Address
    })),
    balances: rest.slice(2 * tokens.length) as ReadonlyArray<bigint>
  }
  return Verdict.map(verdict, ({ account, blockHash, blockNumber, words }) => ({
    ...read,
    account,
    blockHash,
    blockNumber,
    words
  }))
})
