/** Blocks with a state, made by ethereumjs, and a node that has them and can lie. viem hashes the paths. */
import { createBlockHeader } from "@ethereumjs/block"
import { Common, Hardfork, Mainnet } from "@ethereumjs/common"
import { createMerkleProof, createMPT, type MerklePatriciaTrie } from "@ethereumjs/mpt"
import { RLP } from "@ethereumjs/rlp"
import { bytesToHex, hexToBytes, type PrefixedHexString } from "@ethereumjs/util"
import { Hash32 } from "@plumbline/codec"
import { JsonRpcError, type Transport } from "@plumbline/jsonrpc-core"
import { Effect } from "effect"
import { keccak256, numberToHex, toBytes } from "viem"

/** The storage of accounts: words by slot, by address in lower case. */
export type Storage = Readonly<Record<string, Readonly<Record<string, bigint>>>>

export type Json = Readonly<Record<string, unknown>>

/** A block in the JSON form of a node, and the proofs of its state. */
export interface MadeBlock {
  readonly json: Json & { readonly hash: Hash32.Hash32; readonly number: string; readonly stateRoot: Hash32.Hash32 }
  readonly proof: (address: string, keys: ReadonlyArray<string>) => Promise<Json>
  /** The storage root of an account. */
  readonly storageRoot: (address: string) => Hash32.Hash32
}

const bytes = (hex: string): Uint8Array => hexToBytes(hex as PrefixedHexString)
const path = (hex: string): Uint8Array => keccak256(hex as `0x${string}`, "bytes")
const minimal = (value: bigint): Uint8Array => (value === 0n ? new Uint8Array(0) : toBytes(value))

const EMPTY_ROOT: string = "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421"
const CODE = "0x5f"

export const word = (value: bigint): `0x${string}` => numberToHex(value, { size: 32 })

const nodesOf = async (trie: MerklePatriciaTrie, key: Uint8Array): Promise<Array<string>> =>
  (await createMerkleProof(trie, key)).filter((node, at) => at === 0 || node.length >= 32).map(bytesToHex)

/** Makes a block. `isIsthmus` gives it the fields of Prague, and the message passer's storage root. */
export const make = async (
  storage: Storage,
  {
    isIsthmus = true,
    later = {},
    number,
    parentHash = word(number),
    passer,
    timestamp
  }: {
    readonly number: bigint
    readonly timestamp: bigint
    readonly isIsthmus?: boolean
    /** Hashes that a later fork appends to the header, by name. */
    readonly later?: Readonly<Record<string, string>>
    readonly parentHash?: string
    /** The address whose storage root is the block's withdrawalsRoot. */
    readonly passer?: string
  }
): Promise<MadeBlock> => {
  const accounts = await createMPT()
  const tries = new Map<string, MerklePatriciaTrie>()
  for (const [address, slots] of Object.entries(storage)) {
    const trie = await createMPT()
    for (const [slot, value] of Object.entries(slots)) {
      if (value !== 0n) await trie.put(path(word(BigInt(slot))), RLP.encode(minimal(value)))
    }
    tries.set(address, trie)
    await accounts.put(path(address), RLP.encode([minimal(1n), minimal(0n), trie.root(), path(CODE)]))
  }
  // other accounts, so that the trie has depth
  for (let i = 1n; i < 40n; i++) {
    const leaf = [minimal(i), minimal(i), bytes(EMPTY_ROOT), keccak256("0x", "bytes")]
    await accounts.put(path(numberToHex(i, { size: 20 })), RLP.encode(leaf))
  }
  const storageRoot = (address: string): Hash32.Hash32 => {
    const trie = tries.get(address)
    return Hash32.fromHexUnsafe(trie === undefined ? EMPTY_ROOT : bytesToHex(trie.root()))
  }
  const common = new Common({ chain: Mainnet, hardfork: isIsthmus ? Hardfork.Prague : Hardfork.Cancun })
  const header = createBlockHeader(
    {
      number,
      timestamp,
      parentHash: bytes(parentHash),
      stateRoot: accounts.root(),
      gasLimit: 30_000_000n,
      baseFeePerGas: 7n,
      withdrawalsRoot: bytes(passer !== undefined && isIsthmus ? storageRoot(passer) : EMPTY_ROOT),
      blobGasUsed: 0n,
      excessBlobGas: 0n,
      parentBeaconBlockRoot: new Uint8Array(32),
      ...(isIsthmus ? { requestsHash: bytes(word(8n)) } : {})
    },
    { common, skipConsensusFormatValidation: true }
  )
  const { coinbase, receiptTrie, transactionsTrie, uncleHash, ...fields } = header.toJSON()
  const hash = keccak256(RLP.encode([...header.raw(), ...Object.values(later).map(bytes)]))
  const json = {
    ...fields,
    ...later,
    number: numberToHex(number),
    stateRoot: Hash32.fromBytesUnsafe(accounts.root()),
    hash: Hash32.fromHexUnsafe(hash),
    miner: coinbase,
    receiptsRoot: receiptTrie,
    transactionsRoot: transactionsTrie,
    sha3Uncles: uncleHash,
    transactions: [],
    uncles: [],
    withdrawals: []
  }
  return {
    json,
    storageRoot,
    proof: async (address, keys) => {
      const trie = tries.get(address)
      const account = tries.has(address)
      return {
        address,
        nonce: account ? "0x1" : "0x0",
        balance: "0x0",
        codeHash: account ? keccak256(CODE) : keccak256("0x"),
        storageHash: storageRoot(address),
        accountProof: await nodesOf(accounts, path(address)),
        storageProof: await Promise.all(
          keys.map(async (key) => {
            const value = storage[address]?.[String(BigInt(key))] ?? 0n
            const isEmpty = trie === undefined || storageRoot(address) === EMPTY_ROOT
            return {
              key,
              value: numberToHex(value),
              proof: isEmpty ? [] : await nodesOf(trie, path(word(BigInt(key))))
            }
          })
        )
      }
    }
  }
}

/** A call of a node, with its answer. */
export interface Call {
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}

/** The chain of a made node, and its lies. */
export interface Node {
  readonly blocks: ReadonlyArray<MadeBlock>
  /** The answers of eth_call, by address. */
  readonly calls?: Readonly<Record<string, string>>
  /** Changes an answer. An error of the JSON-RPC protocol is thrown as a code. */
  readonly change?: (answer: unknown, call: Call) => unknown
}

/** Returned by `change` so that the node refuses a call. */
export const REFUSED = Symbol("refused")
/** Returned by `change` so that no answer of the node arrives. */
export const UNREACHABLE = Symbol("unreachable")

/** Returns a node's transport, and the calls that it got. */
export const node = ({ blocks, calls = {}, change = (answer) => answer }: Node) => {
  const made: Array<Call> = []
  const find = (id: unknown): MadeBlock | undefined => {
    const named = typeof id === "object" && id !== null && "blockHash" in id ? id.blockHash : id
    if (named === "latest" || named === "finalized") return blocks.at(-1)
    return blocks.find(({ json }) => json.hash === named || json.number === named)
  }
  const answer = async ({ method, params }: Call): Promise<unknown> => {
    switch (method) {
      case "eth_getBlockByHash":
      case "eth_getBlockByNumber":
        return find(params[0])?.json ?? null
      case "eth_getProof":
        return (await find(params[2])?.proof(params[0] as string, params[1] as ReadonlyArray<string>)) ?? REFUSED
      case "eth_getStorageAt": {
        const [address, key] = params as ReadonlyArray<string>
        const proof = await find(params[2])?.proof(address!, [key!])
        const [slot] = (proof?.["storageProof"] ?? []) as ReadonlyArray<{ readonly value: string }>
        return slot === undefined ? REFUSED : word(BigInt(slot.value))
      }
      case "eth_call":
        return calls[(params[0] as { readonly to: string }).to] ?? REFUSED
      default:
        return REFUSED
    }
  }
  const call = ({ method, params }: Transport.WireCall): Effect.Effect<unknown, JsonRpcError.JsonRpcError> => {
    const asked = { method, params }
    made.push(asked)
    return Effect.flatMap(
      Effect.promise(async () => change(structuredCloneOf(await answer(asked)), asked)),
      (said) =>
        said === REFUSED || said === UNREACHABLE
          ? Effect.fail(
              new JsonRpcError.JsonRpcError({
                method,
                reason:
                  said === REFUSED
                    ? new JsonRpcError.RemoteError({ code: -32_000, message: "missing trie node" })
                    : new JsonRpcError.TransportError({ detail: "connection failed", retryable: true })
              })
            )
          : Effect.succeed(said)
    )
  }
  const transport: Transport.Transport["Service"] = {
    call,
    callAll: (calls) => Effect.forEach(calls, (one) => Effect.result(call(one)), { concurrency: "unbounded" })
  }
  return { transport, made }
}

const structuredCloneOf = (value: unknown): unknown => (typeof value === "symbol" ? value : structuredClone(value))
