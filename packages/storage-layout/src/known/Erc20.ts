/**
 * Reads ERC-20 tokens with layouts that many tokens share.
 *
 * The standard defines what a token's functions return, but not the token's storage. This module therefore does not
 * guess the layout; the caller names it. With a wrong layout the words are proven, but their meaning is wrong.
 */
import type * as Input from "@plumbline/eth-methods/model/Input"
import * as Verdict from "@plumbline/verdict/Verdict"
import * as Effect from "effect/Effect"

import type { Layout } from "../layout/Layout.ts"
import * as ContractAddresses from "../read/contractAddresses.ts"
import * as ContractStorage from "../read/ContractStorage.ts"
import type { Flaw } from "../value/Value.ts"
import * as Declared from "./declared.ts"
import * as Erc7201 from "./Erc7201.ts"

/**
 * A layout, and the paths in it to the values that a token's functions return; undefined for values that are not in
 * storage.
 */
export interface KnownErc20 {
  readonly layout: Layout
  readonly name: string | undefined
  readonly symbol: string | undefined
  readonly totalSupply: string | undefined
  readonly balanceOf: (holder: Input.Address) => string
  readonly allowance: (owner: Input.Address, spender: Input.Address) => string
}

const known = (
  layout: Layout,
  prefix: string,
  names: readonly [balances: string, allowances: string, ...rest: ReadonlyArray<string | undefined>]
): KnownErc20 => {
  const [balances, allowances, name, symbol, totalSupply] = names
  const path = (variable: string | undefined) => (variable === undefined ? undefined : prefix + variable)
  return {
    layout,
    name: path(name),
    symbol: path(symbol),
    totalSupply: path(totalSupply),
    balanceOf: (holder) => `${prefix}${balances}[${holder.toLowerCase()}]`,
    allowance: (owner, spender) => `${prefix}${allowances}[${owner.toLowerCase()}][${spender.toLowerCase()}]`
  }
}

const OPEN_ZEPPELIN = [
  "mapping(address => uint256) _balances",
  "mapping(address => mapping(address => uint256)) _allowances",
  "uint256 _totalSupply",
  "string _name",
  "string _symbol"
] as const

const OPEN_ZEPPELIN_NAMES = ["_balances", "_allowances", "_name", "_symbol", "_totalSupply"] as const

/** OpenZeppelin's `ERC20`, versions 3 to 5, if it is the first contract that the token inherits from. */
export const openZeppelin: KnownErc20 = /* @__PURE__ */ known(
  /* @__PURE__ */ Declared.layout({ variables: OPEN_ZEPPELIN }),
  "",
  OPEN_ZEPPELIN_NAMES
)

/**
 * OpenZeppelin's `ERC20Upgradeable` 4. Its variables follow the slot of `Initializable` and the 50 slots of
 * `ContextUpgradeable`.
 */
export const openZeppelinUpgradeable4: KnownErc20 = /* @__PURE__ */ known(
  /* @__PURE__ */ Declared.layout({ first: 51n, variables: OPEN_ZEPPELIN }),
  "",
  OPEN_ZEPPELIN_NAMES
)

/** OpenZeppelin's `ERC20Upgradeable` 5. Its variables are in the namespace `openzeppelin.storage.ERC20`. */
export const openZeppelinUpgradeable5: KnownErc20 = /* @__PURE__ */ known(
  Erc7201.openZeppelin,
  'erc7201("openzeppelin.storage.ERC20").',
  OPEN_ZEPPELIN_NAMES
)

/** Solmate's `ERC20`, if it is the first contract that the token inherits from. */
export const solmate: KnownErc20 = /* @__PURE__ */ known(
  /* @__PURE__ */ Declared.layout({
    variables: [
      "string name",
      "string symbol",
      "uint256 totalSupply",
      "mapping(address => uint256) balanceOf",
      "mapping(address => mapping(address => uint256)) allowance",
      "mapping(address => uint256) nonces"
    ]
  }),
  "",
  ["balanceOf", "allowance", "name", "symbol", "totalSupply"]
)

/** WETH9. Its total supply is its own ether balance, which `VerdictEthClient.getBalance` proves. */
export const weth9: KnownErc20 = /* @__PURE__ */ known(
  /* @__PURE__ */ Declared.layout({
    variables: [
      "string name",
      "string symbol",
      "uint8 decimals",
      "mapping(address => uint256) balanceOf",
      "mapping(address => mapping(address => uint256)) allowance"
    ]
  }),
  "",
  ["balanceOf", "allowance", "name", "symbol"]
)

/**
 * UNI and later tokens in the style of COMP, with balances of 96 bits. The name and symbol of such a token are in its
 * code.
 */
export const uni: KnownErc20 = /* @__PURE__ */ known(
  /* @__PURE__ */ Declared.layout({
    structs: { Checkpoint: ["uint32 fromBlock", "uint96 votes"] },
    variables: [
      "uint256 totalSupply",
      "address minter",
      "uint256 mintingAllowedAfter",
      "mapping(address => mapping(address => uint96)) allowances",
      "mapping(address => uint96) balances",
      "mapping(address => address) delegates",
      "mapping(address => mapping(uint32 => Checkpoint)) checkpoints",
      "mapping(address => uint32) numCheckpoints",
      "mapping(address => uint256) nonces"
    ]
  }),
  "",
  ["balances", "allowances", undefined, undefined, "totalSupply"]
)

/** The balances and allowances to read, and the block. */
export interface Erc20Options extends ContractStorage.ContractStorageOptions {
  readonly holders?: ReadonlyArray<Input.Address> | undefined
  readonly allowances?: ReadonlyArray<readonly [owner: Input.Address, spender: Input.Address]> | undefined
}

export { defaults } from "../read/ContractStorage.ts"

/** The values that a token's functions return; undefined for values that are not in storage. */
export interface Erc20Token {
  /** The name. Undefined if it is not in storage. */
  readonly name: string | Flaw | undefined
  /** The symbol. Undefined if it is not in storage. */
  readonly symbol: string | Flaw | undefined
  /** The supply in the token's smallest unit. Undefined if it is not in storage. */
  readonly totalSupply: bigint | undefined
  /** The balances, in the order of the requested holders. */
  readonly balances: ReadonlyArray<bigint>
  /** The allowances, in the order of the requested owners and spenders. */
  readonly allowances: ReadonlyArray<bigint>
}

/**
 * Reads a token: all values at one block, in the same calls.
 *
 * ```ts import.meta.vitest
 * import { Erc20 } from "@plumbline/storage-layout"
 * import { Effect } from "effect"
 *
 * const weth = "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2"
 * const holder = "0x00000000219ab540356cBB839Cbe05303d7705Fa"
 * Erc20.weth9.balanceOf(holder) // => "balanceOf[0x00000000219ab540356cbb839cbe05303d7705fa]"
 * Effect.isEffect(Erc20.read(weth, Erc20.weth9, { holders: [holder], block: "finalized" })) // => true
 * ```
 */
export const read = Effect.fnUntraced(function* (
  address: Input.Address,
  token: KnownErc20,
  options: Erc20Options = {}
): Effect.fn.Return<
  Verdict.Verdict<ContractStorage.StorageReading<Erc20Token>>,
  Effect.Error<ContractStorage.VerdictReading<Erc20Token>>,
  ContractStorage.ContractStorage
> {
  const { allowances = [], holders = [] } = options
  const fixed = [token.name, token.symbol, token.totalSupply]
  yield* Effect.fromResult(ContractAddresses.all("holders", holders))
  yield* Effect.fromResult(ContractAddresses.all("allowances", allowances))
  const paths = [
    ...fixed.filter((path) => path !== undefined),
    ...holders.map(token.balanceOf),
    ...allowances.map(([owner, spender]) => token.allowance(owner, spender))
  ]
  const storage = yield* ContractStorage.ContractStorage
  const verdict = yield* storage.readMany({ address, layout: token.layout }, paths, options)
  const values = verdict.value.variables.map(({ value }) => value)
  let at = 0
  const [name, symbol, totalSupply] = fixed.map((path) => (path === undefined ? undefined : values[at++]))
  const balances = values.slice(at, at + holders.length) as ReadonlyArray<bigint>
  const read: Erc20Token = {
    name: name as Erc20Token["name"],
    symbol: symbol as Erc20Token["symbol"],
    totalSupply: totalSupply as Erc20Token["totalSupply"],
    balances,
    allowances: values.slice(at + holders.length) as ReadonlyArray<bigint>
  }
  return Verdict.map(verdict, ({ account, blockHash, blockNumber, words }) => ({
    ...read,
    account,
    blockHash,
    blockNumber,
    words
  }))
})
