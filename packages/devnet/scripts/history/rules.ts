/** The rules of the history chain: the first block of each fork, and the time of each block. */
import { paramsBlock } from "@ethereumjs/block"
import { type ChainConfig, Common, Hardfork } from "@ethereumjs/common"
import type { KZG } from "@ethereumjs/util"

export const CHAIN_ID = 7771

/** Every fork of mainnet's execution layer up to Osaka, except the DAO's, with its first block on this chain. */
export const forks = [
  { name: "Frontier", hardfork: Hardfork.Chainstart, block: 0 },
  { name: "Homestead", hardfork: Hardfork.Homestead, block: 6 },
  { name: "Tangerine Whistle", hardfork: Hardfork.TangerineWhistle, block: 12 },
  { name: "Spurious Dragon", hardfork: Hardfork.SpuriousDragon, block: 15 },
  { name: "Byzantium", hardfork: Hardfork.Byzantium, block: 18 },
  { name: "Constantinople", hardfork: Hardfork.Constantinople, block: 23 },
  { name: "Petersburg", hardfork: Hardfork.Petersburg, block: 26 },
  { name: "Istanbul", hardfork: Hardfork.Istanbul, block: 28 },
  { name: "Muir Glacier", hardfork: Hardfork.MuirGlacier, block: 33 },
  { name: "Berlin", hardfork: Hardfork.Berlin, block: 35 },
  { name: "London", hardfork: Hardfork.London, block: 39 },
  { name: "Arrow Glacier", hardfork: Hardfork.ArrowGlacier, block: 44 },
  { name: "Gray Glacier", hardfork: Hardfork.GrayGlacier, block: 46 },
  { name: "Paris", hardfork: Hardfork.Paris, block: 50 },
  { name: "Shanghai", hardfork: Hardfork.Shanghai, block: 53 },
  { name: "Cancun", hardfork: Hardfork.Cancun, block: 57 },
  { name: "Prague", hardfork: Hardfork.Prague, block: 61 },
  { name: "Osaka", hardfork: Hardfork.Osaka, block: 66 }
] as const

export type Fork = (typeof forks)[number]

export type ForkName = Fork["name"]

/** Returns the fork whose rules a block follows. */
export const forkAt = (number: number): Fork => forks.findLast((fork) => fork.block <= number)!

const firstOf = (name: ForkName): number => forks.find((fork) => fork.name === name)!.block

/** The first block that was proposed and not mined. */
export const MERGE = firstOf("Paris")

/** The time of block 0, in seconds since 1970. */
export const GENESIS_TIME = 1_600_000_000

/**
 * Seconds between mined blocks, in a repeating order. Some are shorter and some longer than the ten seconds at which
 * the difficulty stops rising and begins to fall.
 */
const intervals = [13, 9, 21, 14, 7, 17, 11] as const

/** Seconds per slot. */
const SLOT = 12

/** Returns the time of a block. Slots have a fixed length since the Merge, and one of them was missed. */
export const timeOf = (number: number): number => {
  let time = GENESIS_TIME
  for (let n = 1; n <= number; n++) {
    if (n < MERGE) time += intervals[n % intervals.length]!
    else time += n === MERGE + 2 ? 2 * SLOT : SLOT
  }
  return time
}

/** Returns the start of a fork: a time for Shanghai and later forks, a block number for earlier ones. */
const transition = ({ block, hardfork, name }: Fork): ChainConfig["hardforks"][number] =>
  block < firstOf("Shanghai") || name === "Frontier"
    ? { name: hardfork, block }
    : { name: hardfork, block: null, timestamp: timeOf(block) }

export const GENESIS = {
  timestamp: `0x${GENESIS_TIME.toString(16)}`,
  gasLimit: `0x${(8_000_000).toString(16)}`,
  difficulty: `0x${(1 << 20).toString(16)}`,
  nonce: "0x706c756d626c696e",
  extraData: "0x706c756d626c696e6520686973746f7279"
} as const

const chain: ChainConfig = {
  name: "plumbline-history",
  chainId: CHAIN_ID,
  defaultHardfork: Hardfork.Chainstart,
  genesis: GENESIS,
  hardforks: forks.map(transition),
  bootstrapNodes: [],
  consensus: { type: "pow", algorithm: "ethash", ethash: {} },
  depositContractAddress: "0x00000000219ab540356cbb839cbe05303d7705fa"
}

/** ethereumjs requires this library for a blob transaction, but does not call it if the blobs are absent. */
const kzg = {} as KZG

/** Returns the rules of one fork of the chain; without a fork, rules that can switch to any fork later. */
export const rules = (hardfork: Hardfork = Hardfork.Chainstart): Common =>
  new Common({ chain, hardfork, params: paramsBlock, customCrypto: { kzg } })
