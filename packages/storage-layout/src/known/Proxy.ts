/**
 * Finds the contract that a proxy delegates to.
 *
 * A proxy stores this contract's address in its code, or in a slot that a standard or a convention defines. The
 * account's `codeHash` proves an address in the code, and a storage proof proves an address in a slot.
 */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import type * as Hex from "@plumbline/codec/hex/Hex"
import * as Address from "@plumbline/codec/value/Address"
import * as AccountProof from "@plumbline/eth-methods/model/AccountProof"
import type * as BlockParameter from "@plumbline/eth-methods/model/BlockParameter"
import type * as Input from "@plumbline/eth-methods/model/Input"
import type { NoBlockError } from "@plumbline/eth-methods/model/NoBlockError"
import * as StorageKey from "@plumbline/eth-methods/model/StorageKey"
import * as VerdictEthClient from "@plumbline/eth-methods/verified/VerdictEthClient"
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import * as Claim from "@plumbline/verdict/Claim"
import type { RefutedError } from "@plumbline/verdict/RefutedError"
import * as Verdict from "@plumbline/verdict/Verdict"
import * as Effect from "effect/Effect"

import * as ContractAddresses from "../read/contractAddresses.ts"
import * as StorageReadings from "../read/storageReading.ts"
import * as StorageReason from "../read/StorageReason.ts"
import type { Slot } from "../slot/Slot.ts"
import * as Word from "../slot/word.ts"
import * as Erc1967 from "./Erc1967.ts"

/** Slot of the implementation's address in EIP-1822: the Keccak-256 of `PROXIABLE`. */
export const ERC1822: Slot = 0xc5f16f0fcc639fa48a6947836d9850f504798523bf8c9a3a87d5876cf622bcf7n

/**
 * Slot of the implementation's address in OpenZeppelin's first proxies: the Keccak-256 of
 * `org.zeppelinos.proxy.implementation`.
 */
export const ZEPPELIN_OS: Slot = 0x7050c9e0f4ca769c69bd3a8ef740bc37934f8e2c036e5a723fd8ee048ed3f8c3n

/**
 * The kind of a proxy, which tells where the address of its implementation is. The kinds are tried in this order.
 *
 * | kind | place of the implementation's address |
 * | --- | --- |
 * | `Minimal` | the code, which is exactly that of EIP-1167 |
 * | `Delegation` | the code of an account that delegates to a contract (EIP-7702) |
 * | `Erc1967` | the slot of EIP-1967, as in most upgradeable proxies |
 * | `Beacon` | another contract, the beacon, whose address is in the beacon slot of EIP-1967 |
 * | `Erc1822` | the slot of EIP-1822 |
 * | `ZeppelinOs` | the slot of OpenZeppelin's first proxies |
 * | `Safe` | slot 0; the code answers `masterCopy()` with this address, as in Safe's proxies |
 * | `None` | none: the account is not known to be a proxy |
 */
export type ProxyKind = "Minimal" | "Delegation" | "Erc1967" | "Beacon" | "Erc1822" | "ZeppelinOs" | "Safe" | "None"

/** The result of a resolution. */
export interface ResolvedProxy {
  readonly kind: ProxyKind
  /** The implementation; undefined if there is none, or if only the beacon can return it. */
  readonly implementation: Address.Address | undefined
  /** The account that may change the implementation, if the admin slot of EIP-1967 holds one. */
  readonly admin: Address.Address | undefined
  readonly beacon: Address.Address | undefined
  readonly blockHash: Hash32.Hash32
}

/** The block to read at. */
export interface ProxyOptions {
  /** The block. Default: `latest`. */
  readonly block?: BlockParameter.BlockParameter | undefined
}

/** The defaults of the options. */
export const defaults: { readonly block: BlockParameter.Tag } = { block: "latest" }

/**
 * Resolves the contract that an account delegates to.
 *
 * **Details**
 *
 * The address in the slot is proven. Nothing proves that the code uses the slot, although standards require it, so
 * `kind` stays a claim. `Minimal` and `Delegation` have no such claim, because their address is in the proven code.
 *
 * Fails with `NoBlockError`, `JsonRpcError`, and with `RefutedError` if the node lies.
 *
 * ```ts import.meta.vitest
 * import { TrustedBlock, VerdictEthClient } from "@plumbline/eth-methods"
 * import { Transport } from "@plumbline/jsonrpc-core"
 * import { Proxy } from "@plumbline/storage-layout"
 * import { Effect, Layer } from "effect"
 *
 * const node = Layer.succeed(Transport.Transport, {
 *   call: () => Effect.succeed(null),
 *   callAll: () => Effect.succeed([])
 * })
 * const eth = VerdictEthClient.layer().pipe(Layer.provide([node, TrustedBlock.layerNone()]))
 * const usdc = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"
 * const failed = await Effect.runPromise(Effect.flip(Effect.provide(Proxy.resolve(usdc), eth)))
 * failed.message // => "the node knows no such block"
 * ```
 */
export const resolve = Effect.fnUntraced(function* (
  account: Input.Address,
  options: ProxyOptions = {}
): Effect.fn.Return<
  Verdict.Verdict<ResolvedProxy>,
  NoBlockError | JsonRpcError | RefutedError,
  VerdictEthClient.VerdictEthClient
> {
  const eth = yield* VerdictEthClient.VerdictEthClient
  const address = yield* Effect.fromResult(ContractAddresses.contract(account))
  const at = yield* StorageReadings.locate(eth, options.block ?? defaults.block)
  const [proof, code] = yield* Effect.all(
    [eth.getProof(address, SLOTS.map(StorageKey.fromSlot), at.block), eth.getCode(address, at.block)],
    { concurrency: 2 }
  )
  const words = new Map(proof.value.storageProof.map((proof) => [AccountProof.keyOf(proof), proof.value]))
  // nodes may write hex in upper case, and the hash proves the bytes
  const found = find((slot) => addressIn(words.get(slot) ?? 0n), code.value.toLowerCase() as Hex.Hex)
  const value: ResolvedProxy = {
    implementation: undefined,
    admin: undefined,
    beacon: undefined,
    ...found,
    blockHash: at.hash
  }
  const shown = StorageReadings.wordsOf(address, at, [proof], true)
  const verdict = StorageReadings.verdictOf(value, at, [proof, code], shown)
  if (verdict._tag === "CLAIMED" || value.kind === "Minimal" || value.kind === "Delegation") return verdict
  const reason = value.kind === "None" ? StorageReason.UnknownDelegation({}) : StorageReason.ProxyConvention({})
  return Verdict.withClaim(verdict, Claim.of("kind", reason))
})

/** The slots that may hold the address of an implementation, a beacon or an admin. */
const SLOTS: ReadonlyArray<Slot> = [Erc1967.IMPLEMENTATION, Erc1967.BEACON, Erc1967.ADMIN, ERC1822, ZEPPELIN_OS, 0n]

type Found = Pick<ResolvedProxy, "kind"> & Partial<ResolvedProxy>

const find = (at: (slot: Slot) => Address.Address | undefined, code: Hex.Hex): Found => {
  const minimal = minimalTarget(code)
  if (minimal !== undefined) return { kind: "Minimal", implementation: minimal }
  if (/^0xef0100[0-9a-f]{40}$/.test(code)) {
    return { kind: "Delegation", implementation: Address.fromHexUnsafe(`0x${code.slice(8)}`) }
  }
  // an account without code does not use any slot
  if (code === "0x") return { kind: "None" }
  const admin = at(Erc1967.ADMIN)
  const implementation = at(Erc1967.IMPLEMENTATION)
  if (implementation !== undefined) return { kind: "Erc1967", implementation, admin }
  const beacon = at(Erc1967.BEACON)
  if (beacon !== undefined) return { kind: "Beacon", beacon, admin }
  const erc1822 = at(ERC1822)
  if (erc1822 !== undefined) return { kind: "Erc1822", implementation: erc1822 }
  const zeppelinOs = at(ZEPPELIN_OS)
  if (zeppelinOs !== undefined) return { kind: "ZeppelinOs", implementation: zeppelinOs }
  const singleton = at(0n)
  return singleton !== undefined && isSafeProxy(code) ? { kind: "Safe", implementation: singleton } : { kind: "None" }
}

/** Returns the address in a word; undefined if the word is not an address. */
const addressIn = (word: bigint): Address.Address | undefined =>
  word === 0n || word >= 1n << 160n ? undefined : Address.fromHexUnsafe(Word.toHex(word, 20))

/**
 * Returns the address in the code of EIP-1167. The code may omit leading zero bytes of the address. Then another
 * instruction pushes the shorter address, and the jump near the end is shorter too.
 */
const minimalTarget = (code: Hex.Hex): Address.Address | undefined => {
  const [, push, digits, jump] =
    /^0x363d3d373d3d3d363d([67][0-9a-f])([0-9a-f]*)5af43d82803e903d9160([0-9a-f]{2})57fd5bf3$/.exec(code) ?? []
  if (push === undefined || digits === undefined || jump === undefined) return undefined
  const size = Number.parseInt(push, 16) - 0x5f
  return size <= 20 && digits.length === 2 * size && Number.parseInt(jump, 16) === 0x2b - (20 - size)
    ? Address.fromHexUnsafe(`0x${digits.padStart(40, "0")}`)
    : undefined
}

/**
 * True for the code of Safe's proxies from 1.0 to 1.5: it is short, loads slot 0, delegates, and contains the selector
 * of `masterCopy()`, 0xa619486e. The slot alone proves nothing, because any contract may have an address in slot 0.
 */
const isSafeProxy = (code: Hex.Hex): boolean => {
  if (code.length > 2 + 2 * MAX_SAFE_PROXY) return false
  const instructions = disassemble(code)
  const has = (...names: ReadonlyArray<RegExp>) =>
    instructions.some((_, i) => names.every((name, j) => name.test(instructions[i + j] ?? "")))
  return has(/^(?:63|7f)a619486e/) && has(/^(?:5f|6000)$/, /^54$/) && has(/^f4$/)
}

const MAX_SAFE_PROXY = 1024

/**
 * Splits code into instructions, each with the data that it pushes. Pushed data that looks like an instruction is
 * skipped.
 */
const disassemble = (code: Hex.Hex): ReadonlyArray<string> => {
  const instructions: Array<string> = []
  for (let at = 2; at < code.length;) {
    const opcode = Number.parseInt(code.slice(at, at + 2), 16)
    const size = opcode >= 0x60 && opcode <= 0x7f ? opcode - 0x5f : 0
    instructions.push(code.slice(at, at + 2 + 2 * size))
    at += 2 + 2 * size
  }
  return instructions
}
