/** Random transactions, headers and blocks of every type and fork, biased to edges, made and hashed by ethereumjs. */
import {
  type Block,
  type BlockHeader,
  createBlock,
  createBlockHeader,
  genTransactionsTrieRoot,
  genWithdrawalsTrieRoot
} from "@ethereumjs/block"
import { type Common, createCustomCommon, Hardfork, Mainnet } from "@ethereumjs/common"
import { RLP } from "@ethereumjs/rlp"
import { createTx, type TypedTransaction } from "@ethereumjs/tx"
import { bytesToHex, createWithdrawal, eoaCode7702SignAuthorization, type Withdrawal } from "@ethereumjs/util"
import { Keccak256 } from "@plumbline/codec"
import * as Random from "@plumbline/seeded/Random"

import * as Made from "./made.ts"

/** Returns a number below `2^bits`, often one at which its encoding changes form. */
export const number = (random: Random.Random, bits: number): bigint => {
  const limit = 1n << BigInt(bits)
  const edges = [0n, 1n, 0x7fn, 0x80n, 0xffn, 0x100n, 0xffffn, limit - 1n, limit >> 1n, (limit >> 1n) - 1n]
  const free = BigInt(bytesToHex(bytes(random, 32))) % (1n << BigInt(1 + Random.int(random, bits)))
  return random() < 0.4 ? Random.pick(random, edges) % limit : free
}

export const bytes = (random: Random.Random, size: number): Uint8Array => {
  const fill = Random.pick(random, [undefined, undefined, undefined, 0, 0xff])
  return Uint8Array.from({ length: size }, () => fill ?? Random.int(random, 256))
}

/** Returns bytes, often of a size at which the head of their RLP changes. */
export const data = (random: Random.Random): Uint8Array =>
  bytes(random, Random.pick(random, [0, 0, 1, 1, 2, 31, 32, 33, 54, 55, 56, 57, 255, 256, Random.int(random, 1200)]))

const address = (random: Random.Random): `0x${string}` => bytesToHex(bytes(random, 20))
const hash = (random: Random.Random): `0x${string}` => bytesToHex(bytes(random, 32))
const some = <A>(random: Random.Random, below: number, make: () => A): Array<A> =>
  Array.from({ length: Random.int(random, below) }, make)

/** Returns a private key: not zero, and below the order of the curve. */
const key = (random: Random.Random): Uint8Array => {
  const out = Uint8Array.from({ length: 32 }, () => Random.int(random, 256))
  out[0]! &= 0x7f
  out[31]! |= 1
  return out
}

const rules = (chainId: number, hardfork: Hardfork): Common =>
  createCustomCommon({ chainId }, Mainnet, {
    hardfork,
    customCrypto: Made.common(hardfork).customCrypto
  })

/** The bounds of a random transaction. */
export interface Limits {
  /** Maximum bits of a nonce: viem accepts at most 53. */
  readonly nonceBits?: number | undefined
  /** Maximum bits of the gas: since Osaka a transaction has at most 2^24 gas (EIP-7825). */
  readonly gasBits?: number
  /** The chain ids to choose from. Null means no chain id, for type 0 only. */
  readonly chains?: ReadonlyArray<number | null>
}

/** Makes a signed transaction of a type. */
export const transaction = (
  random: Random.Random,
  type: number,
  { chains = [null, null, 1, 10, 127, 128, 11_155_111, 2 ** 31 - 1], gasBits = 63, nonceBits = 63 }: Limits = {}
): TypedTransaction => {
  const chain = Random.pick(random, chains)
  const unbound = type === 0 && chain === null
  const chainId = chain ?? 1
  const tip = number(random, 64)
  const mayCreate = type < 3 && random() < 0.3
  const accessList = some(random, 4, () => ({
    address: address(random),
    storageKeys: some(random, 4, () => hash(random))
  }))
  const authorization = () =>
    eoaCode7702SignAuthorization(
      {
        chainId: Made.hex(number(random, 31)) as `0x${string}`,
        address: address(random),
        nonce: Made.hex(number(random, nonceBits)) as `0x${string}`
      },
      key(random)
    )
  const fields = {
    type,
    nonce: number(random, nonceBits),
    gasLimit: number(random, gasBits),
    value: number(random, 256),
    data: data(random),
    ...(mayCreate ? {} : { to: address(random) }),
    ...(type < 2
      ? { gasPrice: number(random, 128) }
      : { maxFeePerGas: tip + number(random, 64), maxPriorityFeePerGas: tip }),
    ...(type === 0 ? {} : { chainId: BigInt(chainId), accessList }),
    ...(type === 3
      ? {
          maxFeePerBlobGas: number(random, 128),
          blobVersionedHashes: Array.from(
            { length: 1 + Random.int(random, 6) },
            () => `0x01${hash(random).slice(4)}` as const
          )
        }
      : {}),
    ...(type === 4 ? { authorizationList: [authorization(), ...some(random, 3, authorization)] } : {})
  }
  const common = unbound ? Made.common(Hardfork.Homestead) : rules(chainId, Hardfork.Prague)
  return createTx(fields as Parameters<typeof createTx>[0], { common, allowUnlimitedInitCodeSize: true }).sign(
    key(random)
  )
}

/** Returns the number of transaction types of a fork. */
export const typesOf = (hardfork: Hardfork): number => {
  const since = [Hardfork.Chainstart, Hardfork.Berlin, Hardfork.London, Hardfork.Cancun, Hardfork.Prague]
  return since.filter((fork) => Made.common(hardfork).gteHardfork(fork)).length
}

/** Fields of a header that follow from the bodies. */
type Roots = Readonly<Record<"transactionsTrie" | "uncleHash", Uint8Array>> & { readonly withdrawalsRoot?: Uint8Array }

/** Makes a header of a fork, with given or random roots. */
export const header = (random: Random.Random, hardfork: Hardfork, roots?: Roots): BlockHeader => {
  const common = Made.common(hardfork)
  const since = (fork: Hardfork): boolean => common.gteHardfork(fork)
  const posted = since(Hardfork.Paris)
  const gasLimit = number(random, 63)
  return createBlockHeader(
    {
      parentHash: bytes(random, 32),
      uncleHash: bytes(random, 32),
      coinbase: address(random),
      stateRoot: bytes(random, 32),
      transactionsTrie: bytes(random, 32),
      receiptTrie: bytes(random, 32),
      logsBloom: bytes(random, 256),
      difficulty: posted ? 0n : number(random, 128),
      number: number(random, 63),
      gasLimit,
      gasUsed: number(random, 63) % (gasLimit + 1n),
      timestamp: number(random, 63),
      extraData: bytes(random, Random.int(random, 33)),
      mixHash: bytes(random, 32),
      nonce: posted ? new Uint8Array(8) : bytes(random, 8),
      ...(since(Hardfork.London) ? { baseFeePerGas: number(random, 128) } : {}),
      ...(since(Hardfork.Shanghai) ? { withdrawalsRoot: bytes(random, 32) } : {}),
      ...(since(Hardfork.Cancun)
        ? {
            blobGasUsed: number(random, 63),
            excessBlobGas: number(random, 63),
            parentBeaconBlockRoot: bytes(random, 32)
          }
        : {}),
      ...(since(Hardfork.Prague) ? { requestsHash: bytes(random, 32) } : {}),
      ...(since(Hardfork.Amsterdam) ? { blockAccessListHash: bytes(random, 32), slotNumber: number(random, 63) } : {}),
      ...roots
    },
    { common, skipConsensusFormatValidation: true }
  )
}

/** Makes a block of a fork with a random body, whose roots ethereumjs computes. */
export const block = async (
  random: Random.Random,
  hardfork: Hardfork,
  most: number,
  nonceBits?: number
): Promise<Block> => {
  const common = Made.common(hardfork)
  const types = typesOf(hardfork)
  const chains = common.gteHardfork(Hardfork.SpuriousDragon) ? [null, 1] : [null]
  const gasBits = common.gteHardfork(Hardfork.Osaka) ? 24 : 63
  const transactions = some(random, most + 1, () =>
    transaction(random, Random.int(random, types), { nonceBits, gasBits, chains })
  )
  const uncleHeaders = common.gteHardfork(Hardfork.Paris) ? [] : some(random, 3, () => header(random, hardfork))
  const withdrawals: Array<Withdrawal> | undefined = common.gteHardfork(Hardfork.Shanghai)
    ? some(random, 17, () =>
        createWithdrawal({
          index: number(random, 63),
          validatorIndex: number(random, 63),
          address: address(random),
          amount: number(random, 64)
        })
      )
    : undefined
  const made = header(random, hardfork, {
    transactionsTrie: await genTransactionsTrieRoot(transactions),
    uncleHash: Keccak256.hash(RLP.encode(uncleHeaders.map((uncle) => uncle.raw()))),
    ...(withdrawals === undefined ? {} : { withdrawalsRoot: await genWithdrawalsTrieRoot(withdrawals) })
  })
  return createBlock(
    { header: made, transactions, uncleHeaders, ...(withdrawals === undefined ? {} : { withdrawals }) },
    { common, skipConsensusFormatValidation: true }
  )
}
