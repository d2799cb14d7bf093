/** Plays a story with ethereumjs, and records the resulting chain. */
import {
  type Block,
  type BlockData,
  type BlockHeader,
  createBlock,
  genWithdrawalsTrieRoot,
  type HeaderData
} from "@ethereumjs/block"
import { createBlockchain, EthashConsensus } from "@ethereumjs/blockchain"
import { type AccountState, Hardfork } from "@ethereumjs/common"
import { createMPT } from "@ethereumjs/mpt"
import { type NestedUint8Array, RLP } from "@ethereumjs/rlp"
import { MerkleStateManager } from "@ethereumjs/statemanager"
import { createTx, isBlob4844Tx, type TypedTransaction } from "@ethereumjs/tx"
import {
  bytesToHex,
  createWithdrawal,
  eoaCode7702SignAuthorization,
  hexToBytes,
  KECCAK256_NULL,
  KECCAK256_RLP,
  MapDB,
  type PrefixedHexString,
  ValueEncoding,
  type WithdrawalData
} from "@ethereumjs/util"
import { type AfterBlockEvent, createVM, encodeReceipt, runBlock, type VM } from "@ethereumjs/vm"
import { keccak256, toBytes, toHex } from "viem"

import { publicTestKeys } from "../story.ts"
import type * as Story from "./historyStory.ts"
import { CHAIN_ID, forkAt, MERGE, rules, timeOf } from "./rules.ts"

/** The parts of a chain that are committed to the repository. */
export interface Chain {
  /** The blocks, starting at block 0. */
  readonly blocks: ReadonlyArray<Block>
  /** The receipts of each block, encoded as in its trie. */
  readonly receipts: ReadonlyArray<ReadonlyArray<Uint8Array>>
  /** The trie nodes below the state roots of the blocks. */
  readonly nodes: ReadonlyArray<Uint8Array>
  /** The code of the accounts in those states. */
  readonly codes: ReadonlyArray<Uint8Array>
}

/** Plays the story on a new chain: the same story makes the same chain. */
export const play = async (story: Story.Story): Promise<Chain> => {
  const { blockchain, nodes, vm } = await start(story.genesis)
  const blocks: Array<Block> = [blockchain.genesisBlock]
  const receipts: Array<ReadonlyArray<Uint8Array>> = [[]]
  for (const plan of story.blocks) {
    const uncles: Array<BlockHeader> = []
    for (const uncle of plan.uncles) {
      const lost = await build(vm, blocks[uncle.number - 1]!.header, {
        ...uncle,
        timestamp: timeOf(uncle.number) + 1,
        transactions: [],
        uncles: [],
        withdrawals: []
      })
      uncles.push(lost.block.header)
    }
    const made = await build(vm, blocks.at(-1)!.header, {
      number: plan.number,
      miner: plan.miner,
      extraData: `plumbline ${plan.number}`,
      timestamp: timeOf(plan.number),
      transactions: plan.transactions.map((transaction) => sign(transaction, plan.number)),
      uncles,
      withdrawals: plan.withdrawals.map((withdrawal, i) => ({
        index: BigInt(countWithdrawals(story, plan.number) + i),
        validatorIndex: BigInt(withdrawal.validator),
        address: withdrawal.address,
        amount: withdrawal.amount
      }))
    })
    for (const [i, { fails, title }] of plan.transactions.entries()) {
      if (made.failed[i] !== fails)
        throw new Error(`"${title}" in block ${plan.number}: it ${fails ? "does not fail" : "fails"}`)
    }
    // ethereumjs checks each header, with its difficulty and its fees, and each uncle
    await blockchain.putBlock(made.block)
    blocks.push(made.block)
    receipts.push(made.receipts)
  }
  return { blocks, receipts, ...reachable(nodes, blocks) }
}

const countWithdrawals = (story: Story.Story, before: number): number =>
  story.blocks.reduce((sum, block) => sum + (block.number < before ? block.withdrawals.length : 0), 0)

/** Starts an empty chain with its genesis, and keeps everything: `nodes` has every trie node and code, by hash. */
const start = async (genesis: ReadonlyArray<Story.GenesisAccount>) => {
  const common = rules()
  const state = Object.fromEntries(
    genesis.map(({ address, balance, code, nonce, storage }): [PrefixedHexString, AccountState] => [
      address,
      [toHex(balance), code, storage.map(([key, value]) => [key, value]), toHex(nonce)]
    ])
  )
  const nodes = new Map<string, Uint8Array>()
  const trie = await createMPT({
    useKeyHashing: true,
    db: new MapDB<string, Uint8Array>(nodes),
    valueEncoding: ValueEncoding.Bytes
  })
  const stateManager = new MerkleStateManager({ trie, common })
  await stateManager.generateCanonicalGenesis(state)
  const blockchain = await createBlockchain({
    common,
    genesisState: state,
    hardforkByHeadBlockNumber: true,
    validateBlocks: true,
    // the difficulty is checked, but the seal is not, because these blocks were not mined
    validateConsensus: false,
    consensusDict: { ethash: new EthashConsensus({ verifyPOW: async () => true }) }
  })
  const vm = await createVM({ common: common.copy(), blockchain, stateManager, setHardfork: true })
  return { blockchain, vm, nodes }
}

interface Plan {
  readonly number: number
  readonly miner: PrefixedHexString
  readonly extraData: string
  readonly timestamp: number
  readonly transactions: ReadonlyArray<TypedTransaction>
  readonly uncles: ReadonlyArray<BlockHeader>
  readonly withdrawals: ReadonlyArray<WithdrawalData>
}

interface Made {
  readonly block: Block
  readonly receipts: ReadonlyArray<Uint8Array>
  /** For each transaction, true if it had no effect. */
  readonly failed: ReadonlyArray<boolean>
}

/** Builds the block of a plan on top of another block. */
const build = async (vm: VM, parent: BlockHeader, plan: Plan): Promise<Made> => {
  const { number, transactions, uncles } = plan
  const common = rules(forkAt(number).hardfork)
  const mined = number < MERGE
  const seed = keccak256(toHex(`${plan.extraData} of the history chain`))
  const isLondon = common.isActivatedEIP(1559)
  const isFirstOfLondon = isLondon && parent.baseFeePerGas === undefined
  const withdrawals = common.isActivatedEIP(4895) ? plan.withdrawals.map(createWithdrawal) : undefined
  const header: HeaderData = {
    parentHash: parent.hash(),
    uncleHash: keccak256(RLP.encode(uncles.map((uncle) => uncle.raw())), "bytes"),
    coinbase: plan.miner,
    number,
    timestamp: plan.timestamp,
    // EIP-1559 makes the gas target half of the limit; the limit doubles, so that the target stays the same
    gasLimit: isFirstOfLondon ? parent.gasLimit * common.param("elasticityMultiplier") : parent.gasLimit,
    extraData: toBytes(plan.extraData),
    // without a seal, mixHash holds the randomness of the beacon chain (EIP-4399)
    mixHash: seed,
    ...(mined ? { nonce: keccak256(seed, "bytes").subarray(0, 8) } : { difficulty: 0n }),
    ...(isLondon ? { baseFeePerGas: isFirstOfLondon ? common.param("initialBaseFee") : parent.calcNextBaseFee() } : {}),
    ...(withdrawals === undefined ? {} : { withdrawalsRoot: await genWithdrawalsTrieRoot(withdrawals) }),
    ...(common.isActivatedEIP(4844)
      ? {
          blobGasUsed: common.param("blobGasPerBlob") * BigInt(countBlobs(transactions)),
          excessBlobGas: parent.calcNextExcessBlobGas(common)
        }
      : {}),
    ...(common.isActivatedEIP(4788) ? { parentBeaconBlockRoot: keccak256(seed) } : {})
  }
  const data: BlockData = {
    header,
    transactions: [...transactions],
    uncleHeaders: [...uncles],
    ...(withdrawals === undefined ? {} : { withdrawals })
  }
  const draft = createBlock(data, mined ? { common, calcDifficultyFromHeader: parent } : { common })
  let done: AfterBlockEvent | undefined
  const listener = (event: AfterBlockEvent, resolve?: (result?: unknown) => void): void => {
    done = event
    resolve?.()
  }
  vm.events.once("afterBlock", listener)
  await runBlock(vm, { block: draft, root: parent.stateRoot, generate: true, skipBlockValidation: true })
  if (done === undefined) throw new Error(`block ${number} did not come about`)
  return {
    block: done.block,
    receipts: done.receipts.map((receipt, i) => encodeReceipt(receipt, transactions[i]!.type)),
    failed: done.results.map((result) => result.execResult.exceptionError !== undefined)
  }
}

const countBlobs = (transactions: ReadonlyArray<TypedTransaction>): number =>
  transactions.reduce(
    (sum, transaction) => sum + (isBlob4844Tx(transaction) ? transaction.blobVersionedHashes.length : 0),
    0
  )

const sign = (transaction: Story.Transaction, number: number): TypedTransaction => {
  const { data, form, from, gas, nonce, price, signature, to, value } = transaction
  const { hardfork } = forkAt(number)
  // Rules that sign without a chain id (EIP-155), as before Spurious Dragon.
  const unprotected = rules(Hardfork.Homestead)
  const common = { nonce, gasLimit: gas, value, data, ...(to === undefined ? {} : { to }) }
  const legacy = { ...common, type: 0, gasPrice: price }
  if (typeof from === "string") {
    if (signature === undefined) throw new Error(`${transaction.title}: no signature`)
    const signed = createTx({ ...legacy, ...signature }, { common: unprotected })
    if (signed.getSenderAddress().toString() !== from) throw new Error(`${transaction.title}: another sender`)
    return signed
  }
  const key = hexToBytes(publicTestKeys[from]!)
  const accessList = transaction.accessList.map(({ address, storageKeys }) => ({
    address,
    storageKeys: [...storageKeys]
  }))
  const typed = { ...common, chainId: CHAIN_ID, accessList }
  const dynamicFee = { ...typed, maxFeePerGas: price, maxPriorityFeePerGas: transaction.tip }
  const options = { common: rules(hardfork) }
  switch (form) {
    case "legacy":
      return createTx(legacy, options).sign(key)
    case "unprotected":
      return createTx(legacy, { common: unprotected }).sign(key)
    case "highS": {
      const { r, s, v } = createTx(legacy, { common: unprotected }).sign(key)
      return createTx({ ...legacy, r: r!, s: CURVE_ORDER - s!, v: 55n - v! }, { common: rules(Hardfork.Chainstart) })
    }
    case "accessList":
      return createTx({ ...typed, type: 1, gasPrice: price }, options).sign(key)
    case "dynamicFee":
      return createTx({ ...dynamicFee, type: 2 }, options).sign(key)
    case "blob":
      return createTx(
        { ...dynamicFee, type: 3, maxFeePerBlobGas: price, blobVersionedHashes: [...transaction.blobVersionedHashes] },
        options
      ).sign(key)
    case "setCode": {
      const authorizationList = transaction.authorizations.map(({ address, authority, nonce }) =>
        eoaCode7702SignAuthorization(
          { chainId: toHex(CHAIN_ID), address, nonce: toHex(nonce) },
          hexToBytes(publicTestKeys[authority]!)
        )
      )
      return createTx({ ...dynamicFee, type: 4, authorizationList }, options).sign(key)
    }
    case "keyless":
      throw new Error("a keyless transaction has no account")
  }
}

/** The order of secp256k1. If (r, s) is a signature, (r, order - s) is one too. */
const CURVE_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

/** The result of decoding RLP. */
type Item = Uint8Array | NestedUint8Array

/** Returns the trie nodes and code below the blocks' states, each once, in the order in which they are first met. */
const reachable = (
  all: ReadonlyMap<string, Uint8Array>,
  blocks: ReadonlyArray<Block>
): Pick<Chain, "nodes" | "codes"> => {
  const nodes = new Map<string, Uint8Array>()
  const codes = new Map<string, Uint8Array>()
  const take = (into: Map<string, Uint8Array>, key: string): Uint8Array | undefined => {
    if (into.has(key)) return undefined
    const found = all.get(key)
    if (found === undefined) throw new Error(`no ${key} in the database`)
    into.set(key, found)
    return found
  }
  const visit = (reference: Item, leaf: (value: Uint8Array) => void): void => {
    if (reference.length === 0) return
    let node = reference
    if (reference instanceof Uint8Array) {
      const found = take(nodes, hex(reference))
      if (found === undefined) return
      node = RLP.decode(found)
    }
    if (node.length === 17) {
      for (const child of node.slice(0, 16)) visit(child as Item, leaf)
      return
    }
    const [path, item] = node as [Uint8Array, Item]
    if ((path[0]! & 0x20) === 0) visit(item, leaf)
    else leaf(item as Uint8Array)
  }
  for (const { header } of blocks) {
    visit(header.stateRoot, (account) => {
      const [, , storageRoot, codeHash] = RLP.decode(account) as ReadonlyArray<Uint8Array>
      if (hex(storageRoot!) !== EMPTY_ROOT) visit(storageRoot!, () => {})
      // ethereumjs stores code under a key that begins with the letter "c" and ends with the hash of the code
      if (hex(codeHash!) !== NO_CODE) take(codes, `63${hex(codeHash!)}`)
    })
  }
  return { nodes: [...nodes.values()], codes: [...codes.values()] }
}

const hex = (bytes: Uint8Array): string => bytesToHex(bytes).slice(2)

const EMPTY_ROOT = hex(KECCAK256_RLP)
const NO_CODE = hex(KECCAK256_NULL)
