/** Asks a node for the contents of a bundle. Keeps only what a verifier has checked under the block's hash. */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Keccak256 from "@plumbline/codec/hash/Keccak256"
import * as Hex from "@plumbline/codec/hex/Hex"
import * as Rlp from "@plumbline/codec/rlp/Rlp"
import type * as Address from "@plumbline/codec/value/Address"
import type * as AccountProof from "@plumbline/eth-methods/model/AccountProof"
import type * as EthBlock from "@plumbline/eth-methods/model/Block"
import type * as Input from "@plumbline/eth-methods/model/Input"
import type { NoBlockError } from "@plumbline/eth-methods/model/NoBlockError"
import * as EthEvidence from "@plumbline/eth-methods/proof/EthEvidence"
import * as EthReason from "@plumbline/eth-methods/proof/EthReason"
import * as BlockRlp from "@plumbline/eth-methods/rlp/BlockRlp"
import type * as VerdictEthClient from "@plumbline/eth-methods/verified/VerdictEthClient"
import * as Block from "@plumbline/ipfs-client/block/Block"
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import * as Trie from "@plumbline/merkle-trie/trie/Trie"
import type { PathError } from "@plumbline/storage-layout/path/PathError"
import * as ContractStorage from "@plumbline/storage-layout/read/ContractStorage"
import type { NoValueError } from "@plumbline/storage-layout/value/NoValueError"
import * as Claim from "@plumbline/verdict/Claim"
import type * as Reason from "@plumbline/verdict/Reason"
import { RefutedError } from "@plumbline/verdict/RefutedError"
import { UnprovenError } from "@plumbline/verdict/UnprovenError"
import type { Verdict } from "@plumbline/verdict/Verdict"
import * as Effect from "effect/Effect"

import * as BundleCodecs from "./bundleCodecs.ts"
import { BundleError } from "./BundleError.ts"
import * as BundleReason from "./BundleReason.ts"
import * as CallBlock from "./callBlock.ts"
import type { WantedAccount, WantedCall, WantedContents } from "./wantedContents.ts"
import * as WordNames from "./wordNames.ts"

/** The errors of asking a node. */
export type CollectFailure =
  | JsonRpcError
  | RefutedError
  | UnprovenError
  | NoBlockError
  | NoValueError
  | PathError
  | BundleError

/** The blocks and names of a bundle to be made. */
export interface CollectedBlocks {
  /** All wanted blocks, unordered; some may occur more than once. */
  readonly blocks: ReadonlyArray<Block.Block>
  /** The addresses of the accounts that the blocks prove, present or absent. */
  readonly addresses: ReadonlyArray<Address.Address>
  /** Raw blocks that name entries of mappings. They count only if the accounts of those mappings exist. */
  readonly names: ReadonlyArray<Block.Block>
}

/** Asks the node for everything that the caller wants. The block's header must be proven. */
export const collect = Effect.fnUntraced(function* (
  eth: VerdictEthClient.Client,
  block: EthBlock.WithHashes,
  hash: Hash32.Hash32,
  wanted: WantedContents
): Effect.fn.Return<CollectedBlocks, CollectFailure> {
  const found: Array<Block.Block> = []
  const keep = (codec: number, bytes: Uint8Array): void => {
    found.push({ cid: BundleCodecs.cidOf(codec, Keccak256.hash(bytes)), bytes })
  }
  const keepNodes = (codec: number, nodes: ReadonlyArray<Hex.Hex>): void => {
    // some nodes send the root of an empty trie, which is not needed, because its hash is known
    for (const node of nodes) if (node !== "0x80") keep(codec, Hex.toBytesUnsafe(node))
  }

  keep(BundleCodecs.BLOCK, yield* headerOf(block, hash))

  /** A client that records the material of its proofs. */
  const recording: VerdictEthClient.Client = {
    ...eth,
    getProof: (address, keys, parameter) =>
      Effect.tap(eth.getProof(address, keys, parameter), (verdict) =>
        Effect.sync(() => {
          if (verdict._tag === "VERIFIED") keepProof(verdict.value)
        })
      )
  }
  const keepProof = ({ accountProof, storageProof }: AccountProof.AccountProof): void => {
    keepNodes(BundleCodecs.STATE_TRIE, accountProof)
    for (const { proof } of storageProof) keepNodes(BundleCodecs.STORAGE_TRIE, proof)
  }
  const keepCode = (address: Input.Address) =>
    Effect.map(proven("eth_getCode", eth.getCode(address, hash)), ({ value }) => {
      if (value !== "0x") keep(BundleCodecs.RAW, Hex.toBytesUnsafe(value))
    })

  const names: Array<Block.Block> = []
  const storage = ContractStorage.make(recording)
  for (const { code, paths, ...contract } of wanted.contracts ?? []) {
    const { value } = yield* proven("eth_getProof", storage.readMany(contract, paths, { block: hash }))
    for (const bytes of WordNames.named({ layout: contract.layout, paths }, value.words.keys())) {
      names.push({ cid: BundleCodecs.cidOf(BundleCodecs.RAW, Keccak256.hash(bytes)), bytes })
    }
    if (code === true) yield* keepCode(contract.address)
  }
  const called = wanted.call === undefined ? undefined : yield* call(eth, hash, wanted.call)
  if (called !== undefined) {
    keep(BundleCodecs.RAW, called.block)
    for (const older of yield* ancestors(eth, block, called.oldest)) keep(BundleCodecs.BLOCK, older)
  }
  const accounts = [...(wanted.accounts ?? []), ...(called?.accounts ?? [])]
  for (const { address, code, slots = [] } of accounts) {
    for (let from = 0; from === 0 || from < slots.length; from += ContractStorage.MAX_SLOTS) {
      const some = slots.slice(from, from + ContractStorage.MAX_SLOTS)
      yield* proven("eth_getProof", recording.getProof(address, some, hash))
    }
    if (code === true) yield* keepCode(address)
  }

  if (wanted.transactions === true || wanted.receipts === true) {
    for (const node of yield* transactionNodes(eth, hash)) keep(BundleCodecs.TRANSACTION_TRIE, node)
  }
  if (wanted.receipts === true) {
    for (const node of yield* receiptNodes(eth, block, hash)) keep(BundleCodecs.RECEIPT_TRIE, node)
  }
  if (wanted.uncles === true && !Hex.equals(block.sha3Uncles, BundleCodecs.EMPTY_LIST)) {
    const list = yield* uncleList(eth, hash)
    yield* same("sha3Uncles", block.sha3Uncles, list)
    keep(BundleCodecs.UNCLES, list)
  }
  if (wanted.accessList === true) {
    const list = yield* accessList(eth, hash)
    if (!Hex.equals(Keccak256.hashHex(list), BundleCodecs.EMPTY_LIST)) keep(BundleCodecs.RAW, list)
  }
  // the client has checked the addresses
  const addresses = [...accounts, ...(wanted.contracts ?? [])].map(({ address }) => address as Address.Address)
  return { blocks: found, addresses, names }
})

/** The sender of a call that names none. */
const ZERO: Input.Address = "0x0000000000000000000000000000000000000000"

/** A call that was run: the block that keeps it, and what it read. */
interface CollectedCall {
  readonly block: Uint8Array
  readonly accounts: ReadonlyArray<WantedAccount>
  /** The oldest block whose hash the call read. */
  readonly oldest: bigint | undefined
}

/** Runs a call. Its outcome is not kept, because it follows from the request and the state that the run read. */
const call = Effect.fnUntraced(function* (
  eth: VerdictEthClient.Client,
  hash: Hash32.Hash32,
  { request, signature }: WantedCall
): Effect.fn.Return<CollectedCall, CollectFailure> {
  const { proven: evidence } = yield* proven("eth_call", eth.call(request, hash))
  // a proven call has this evidence
  const { accounts, blobUpdateFraction, blockHashes, chainId, gasLimit, hardfork } = evidence.find(
    EthEvidence.CallRun.is
  )!
  const rules = { chainId, hardfork, blobUpdateFraction }
  const block = CallBlock.encode(hash, { request: { ...request, gas: gasLimit }, rules, signature })
  if (CallBlock.decode(hash, block) === undefined || block.length > Block.defaults.maxBlockSize) {
    const detail = `the call is larger than a block of ${Block.defaults.maxBlockSize} bytes, or has too many entries`
    return yield* new BundleError({ reason: "TooLarge", offset: 0, detail })
  }
  const read = accounts.map(({ address, code, slots }) => ({ address, slots, code: code !== undefined }))
  // a run begins with its receiver, or with the account that creates a contract
  const first = { address: request.to ?? request.from ?? ZERO }
  const oldest = blockHashes.reduce<bigint | undefined>((a, b) => (a === undefined || b < a ? b : a), undefined)
  return { block, accounts: [first, ...read], oldest }
})

/** Returns the headers of older blocks, from parent to parent, down to a number. The parent's hash needs no header. */
const ancestors = Effect.fnUntraced(function* (
  eth: VerdictEthClient.Client,
  block: EthBlock.Header,
  oldest: bigint | undefined
): Effect.fn.Return<ReadonlyArray<Uint8Array>, CollectFailure> {
  const found: Array<Uint8Array> = []
  if (oldest === undefined || oldest + 1n === block.number) return found
  for (let at = block; at.number! > oldest;) {
    const { value: parent } = yield* proven("eth_getBlockByHash", eth.getBlockByHash(at.parentHash))
    if (parent === null) return yield* unproven("eth_getBlockByHash", EthReason.BlockGone({}))
    found.push(yield* headerOf(parent, at.parentHash))
    at = parent
  }
  return found
})

/**
 * Returns the header of a block that the client has proven. If its known fields do not give the hash, the caller has named
 * fields of a later fork (`LaterForks`), so the node is not to blame.
 */
const headerOf = Effect.fnUntraced(function* (
  block: EthBlock.Header,
  hash: Hash32.Hash32
): Effect.fn.Return<Uint8Array, CollectFailure> {
  const header = yield* Effect.fromResult(BlockRlp.encodeHeader(block))
  return Hex.equals(Keccak256.hashHex(header), hash)
    ? header
    : yield* unproven("eth_getBlockByHash", BundleReason.HeaderNotMade({}))
})

const transactionNodes = Effect.fnUntraced(function* (
  eth: VerdictEthClient.Client,
  hash: Hash32.Hash32
): Effect.fn.Return<ReadonlyArray<Uint8Array>, CollectFailure> {
  const { value: block } = yield* proven("eth_getBlockByHash", eth.getBlockByHash(hash, { full: true, senders: false }))
  if (block === null) return yield* unproven("eth_getBlockByHash", EthReason.BlockGone({}))
  const items = block.transactions.flatMap((transaction) => BlockRlp.encodeTransaction(transaction) ?? [])
  const { nodes, root } = Trie.nodesOfList(items)
  return Hex.equals(Hex.fromBytes(root), block.transactionsRoot)
    ? nodes
    : yield* unproven("eth_getBlockByHash", BundleReason.RootNotMade({ items: "transactions" }))
})

const receiptNodes = Effect.fnUntraced(function* (
  eth: VerdictEthClient.Client,
  block: EthBlock.WithHashes,
  hash: Hash32.Hash32
): Effect.fn.Return<ReadonlyArray<Uint8Array>, CollectFailure> {
  const answer = yield* proven("eth_getBlockReceipts", eth.getBlockReceipts({ blockHash: hash }, { senders: false }))
  if (answer.value === null) return yield* unproven("eth_getBlockReceipts", EthReason.BlockGone({}))
  const { nodes, root } = Trie.nodesOfList(answer.value.map(BlockRlp.encodeReceipt))
  return Hex.equals(Hex.fromBytes(root), block.receiptsRoot)
    ? nodes
    : yield* unproven("eth_getBlockReceipts", BundleReason.RootNotMade({ items: "receipts" }))
})

/** Returns the RLP of the list of the uncles' headers. */
const uncleList = Effect.fnUntraced(function* (
  eth: VerdictEthClient.Client,
  hash: Hash32.Hash32
): Effect.fn.Return<Uint8Array, CollectFailure> {
  const { value: count } = yield* proven("eth_getUncleCountByBlockHash", eth.getUncleCountByBlockHash(hash))
  const headers: Array<Rlp.Rlp> = []
  for (let index = 0n; index < (count ?? 0n); index++) {
    const { value: uncle } = yield* proven(
      "eth_getUncleByBlockHashAndIndex",
      eth.getUncleByBlockHashAndIndex(hash, index)
    )
    if (uncle === null) return yield* unproven("eth_getUncleByBlockHashAndIndex", EthReason.BlockGone({}))
    headers.push(Rlp.decodeUnsafe(yield* Effect.fromResult(BlockRlp.encodeHeader(uncle))))
  }
  return Rlp.encode(headers)
})

/** Returns the RLP of the block access list. Its hash is the proven one, because the order in the answer is proven too. */
const accessList = Effect.fnUntraced(function* (
  eth: VerdictEthClient.Client,
  hash: Hash32.Hash32
): Effect.fn.Return<Uint8Array, CollectFailure> {
  const { value } = yield* proven("eth_getBlockAccessList", eth.getBlockAccessList(hash))
  // null is never proven
  const list = BlockRlp.encodeAccessList(value!)
  const { maxBlockSize } = Block.defaults
  if (list.length <= maxBlockSize) return list
  const detail = `the access list has ${list.length} bytes, more than a block of ${maxBlockSize}`
  return yield* new BundleError({ reason: "TooLarge", offset: 0, detail })
})

/**
 * Returns an answer that the block's hash proves. Fails otherwise, because a claimed answer must not be in a bundle.
 */
const proven = <A, E>(
  method: string,
  read: Effect.Effect<Verdict<A>, E>
): Effect.Effect<Verdict<A>, E | UnprovenError> =>
  Effect.flatMap(read, (verdict) =>
    verdict._tag === "VERIFIED"
      ? Effect.succeed(verdict)
      : Effect.fail(new UnprovenError({ subject: method, claims: verdict.claimed }))
  )

const unproven = (method: string, reason: Reason.Reason): Effect.Effect<never, UnprovenError> =>
  Effect.fail(new UnprovenError({ subject: method, claims: [Claim.whole(reason)] }))

const same = (check: string, expected: Hash32.Hash32, bytes: Uint8Array): Effect.Effect<void, RefutedError> => {
  const got = Keccak256.hashHex(bytes)
  return Hex.equals(got, expected) ? Effect.void : Effect.fail(new RefutedError({ check, expected, got }))
}
