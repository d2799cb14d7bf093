/**
 * A chain of one block in memory. ethereumjs makes its tries, viem writes its header, and a node serves it in the usual
 * JSON. The packages under test are not used to make it.
 */
import { createMerkleProof, createMPT, type MerklePatriciaTrie } from "@ethereumjs/mpt"
import { Address, Hash32 } from "@plumbline/codec"
import { TrustedBlock, VerdictEthClient } from "@plumbline/eth-methods"
import { JsonRpcError, Transport } from "@plumbline/jsonrpc-core"
import { Effect, Layer, Result } from "effect"
import { bytesToHex, type Hex, hexToBytes, keccak256, numberToHex, pad, toHex, toRlp, trim } from "viem"

export type { Address } from "@plumbline/codec/value/Address"

export interface Account {
  readonly nonce: bigint
  readonly balance: bigint
  readonly code: Hex
  /** The words that are not zero, by their slots. */
  readonly storage: ReadonlyMap<bigint, bigint>
}

export interface World {
  readonly hash: Hash32.Hash32
  readonly number: bigint
  readonly calls: Array<Transport.WireCall>
  /** The JSON of eth_getProof. */
  readonly proof: (address: Address.Address, slots: ReadonlyArray<bigint>) => Promise<any>
  readonly state: MerklePatriciaTrie
  /** A client of this node that trusts nothing. */
  readonly eth: Layer.Layer<VerdictEthClient.VerdictEthClient>
  readonly ethWith: (
    trust: Layer.Layer<TrustedBlock.TrustedBlock>,
    options?: VerdictEthClient.VerdictEthClientOptions
  ) => Layer.Layer<VerdictEthClient.VerdictEthClient>
}

/** Changes an answer into a lie. */
export type Lie = (method: string, answer: any) => unknown

const EMPTY_CODE = keccak256("0x")
const EMPTY_ROOT = keccak256("0x80")
const NO_UNCLES = keccak256("0xc0")

/** Fields of headers since London, except those of Amsterdam. */
const sinceLondon = {
  withdrawalsRoot: EMPTY_ROOT,
  blobGasUsed: "0x0",
  excessBlobGas: "0x0",
  parentBeaconBlockRoot: keccak256("0x03"),
  requestsHash: keccak256("0x04")
}
const quantities = new Set(
  "difficulty number gasLimit gasUsed timestamp baseFeePerGas blobGasUsed excessBlobGas slotNumber".split(" ")
)

const quantity = (value: bigint): Hex => (value === 0n ? "0x" : trim(numberToHex(value, { size: 32 })))
const slotKey = (slot: bigint): Hex => pad(toHex(slot), { size: 32 })

/** Returns the nodes as hex, without the nodes of fewer than 32 bytes: these are embedded in their parents. */
const listed = (nodes: ReadonlyArray<Uint8Array>): ReadonlyArray<Hex> =>
  nodes.filter((node, at) => at === 0 || node.length >= 32).map((node) => bytesToHex(node))

export const make = async (
  accounts: ReadonlyMap<Address.Address, Account>,
  lie: Lie = (_, answer) => answer,
  /** The root of the transactions; by default the root of an empty list. The node does not serve the transactions. */
  transactionsRoot: Hex = EMPTY_ROOT,
  /** The number of older blocks that the node serves. */
  older = 0,
  number = 9n,
  /** The hash of the block access list. With one, headers have the fields of Amsterdam. */
  blockAccessListHash?: Hex
): Promise<World> => {
  const state = await createMPT({ useKeyHashing: true })
  const storages = new Map<string, MerklePatriciaTrie>()
  for (const [address, { balance, code, nonce, storage }] of accounts) {
    const trie = await createMPT({ useKeyHashing: true })
    for (const [slot, word] of storage) await trie.put(hexToBytes(slotKey(slot)), hexToBytes(toRlp(quantity(word))))
    storages.set(address.toLowerCase(), trie)
    const leaf = toRlp([quantity(nonce), quantity(balance), bytesToHex(trie.root()), keccak256(code)])
    await state.put(hexToBytes(address), hexToBytes(leaf))
  }
  const fields = {
    parentHash: keccak256("0x01"),
    sha3Uncles: NO_UNCLES,
    miner: `0x${"11".repeat(20)}`,
    stateRoot: bytesToHex(state.root()),
    transactionsRoot,
    receiptsRoot: EMPTY_ROOT,
    logsBloom: `0x${"00".repeat(256)}`,
    difficulty: "0x0",
    number: toHex(number),
    gasLimit: "0x1c9c380",
    gasUsed: "0x0",
    timestamp: "0x66",
    extraData: "0x",
    mixHash: `0x${"22".repeat(32)}`,
    nonce: `0x${"00".repeat(8)}`,
    baseFeePerGas: "0x7",
    ...(blockAccessListHash === undefined ? {} : { ...sinceLondon, blockAccessListHash, slotNumber: "0x9" })
  }
  const blockAfter = (parentHash: Hex, number: Hex) => {
    const header = { ...fields, parentHash, number }
    const hash = keccak256(
      toRlp(
        Object.entries(header).map(([field, value]) =>
          quantities.has(field) ? quantity(BigInt(value)) : (value as Hex)
        )
      )
    )
    return {
      ...header,
      hash,
      transactions: transactionsRoot === EMPTY_ROOT ? [] : [keccak256("0x02")],
      uncles: [],
      ...(blockAccessListHash === undefined ? {} : { withdrawals: [] })
    }
  }
  const blocks = [blockAfter(fields.parentHash, toHex(BigInt(fields.number) - BigInt(older)))]
  for (let number = BigInt(blocks[0]!.number) + 1n; blocks.length <= older; number++) {
    blocks.push(blockAfter(blocks.at(-1)!.hash, toHex(number)))
  }
  const header = blocks.at(-1)!
  const { hash } = header

  const proof = async (address: Address.Address, slots: ReadonlyArray<bigint>) => {
    const account = accounts.get(address)
    const trie = storages.get(address.toLowerCase())
    return {
      address,
      accountProof: listed(await createMerkleProof(state, hexToBytes(address))),
      balance: toHex(account?.balance ?? 0n),
      nonce: toHex(account?.nonce ?? 0n),
      codeHash: account === undefined ? EMPTY_CODE : keccak256(account.code),
      storageHash: trie === undefined ? EMPTY_ROOT : bytesToHex(trie.root()),
      storageProof: await Promise.all(
        slots.map(async (slot) => ({
          key: slotKey(slot),
          value: toHex(account?.storage.get(slot) ?? 0n),
          proof:
            account === undefined || account.storage.size === 0
              ? []
              : listed(await createMerkleProof(trie!, hexToBytes(slotKey(slot))))
        }))
      )
    }
  }

  const answer = async (method: string, params: ReadonlyArray<any>): Promise<unknown> => {
    switch (method) {
      case "eth_getBlockByHash":
        return blocks.find((block) => block.hash === params[0]) ?? null
      case "eth_getBlockByNumber":
        return params[0] === "latest" ? header : (blocks.find((block) => block.number === params[0]) ?? null)
      case "eth_getCode":
        return accounts.get(params[0])?.code ?? "0x"
      case "eth_getBlockReceipts":
        return []
      case "eth_getProof":
        return proof(
          params[0],
          params[1].map((key: string) => BigInt(key))
        )
      default:
        return undefined
    }
  }
  const calls: Array<Transport.WireCall> = []
  const call = (asked: Transport.WireCall) =>
    Effect.gen(function* () {
      calls.push(asked)
      const said = lie(asked.method, yield* Effect.promise(() => answer(asked.method, asked.params)))
      if (said !== undefined) return said
      const reason = new JsonRpcError.RemoteError({ code: -32000, message: "unwilling" })
      return yield* new JsonRpcError.JsonRpcError({ method: asked.method, reason })
    })
  const callAll = (asked: ReadonlyArray<Transport.WireCall>) =>
    Effect.forEach(asked, (one) => Effect.map(Effect.result(call(one)), (outcome) => outcome as Transport.WireOutcome))
  const transport = Layer.succeed(Transport.Transport, { call, callAll })
  const ethWith: World["ethWith"] = (trust, options) =>
    VerdictEthClient.layer(options).pipe(Layer.provide([transport, trust]))
  return {
    hash: Hash32.fromHexUnsafe(hash),
    number: BigInt(header.number),
    calls,
    proof,
    state,
    eth: ethWith(TrustedBlock.layerNone()),
    ethWith
  }
}

/** Returns a distinct address for each number. */
export const addressOf = (index: number): Address.Address =>
  Result.getOrThrow(Address.fromHex(bytesToHex(hexToBytes(keccak256(toHex(index))).subarray(12))))
