/**
 * A rollup's contracts on a made L1, with their storage as each release lays it out, and a made block of the rollup.
 *
 * The slots are written here by viem and by the published layouts, so that they are an oracle for the package's own.
 */
import { encodeAbiParameters, encodePacked, hexToBigInt, keccak256, toHex } from "viem"

import type { OpStackChain } from "../../src/index.ts"
import * as MadeChain from "./madeChain.ts"

export const address = (digit: string): `0x${string}` => `0x${digit.repeat(40)}`

export const SYSTEM_CONFIG = address("1")
export const PORTAL = address("2")
export const REGISTRY = address("3")
export const FACTORY = address("4")
export const GAME = address("6")
export const PASSER = "0x4200000000000000000000000000000000000016"

/** A release of the contracts, with the addresses of its implementations in the public registry. */
export interface Release {
  readonly name: string
  readonly portal: readonly [version: string, implementation: string]
  readonly registry: readonly [version: string, implementation: string]
  readonly slots: "2.2" | "3"
}

export const releases: ReadonlyArray<Release> = [
  {
    name: "2.0 to 3.0",
    portal: ["3.14.0", "0xb443da3e07052204a02d630a8933dac05a0d6fb4"],
    registry: ["2.2.2", "0x7b465370bb7a333f99edd19599eb7fb1c2d3f8d2"],
    slots: "2.2"
  },
  {
    name: "4.0",
    portal: ["4.6.0", "0xefed7f38bb9be74bba583a1a5b7d0fe7c9d5787a"],
    registry: ["3.5.0", "0xeb69cc681e8d4a557b30dffbad85affd47a2cf2e"],
    slots: "3"
  },
  {
    name: "6.0",
    portal: ["5.2.0", "0x97cebbf8959e2a5476fbe9b98a21806ec234609b"],
    registry: ["3.7.0", "0x36398155cd17cfe804f69b233edda800dd4d5aa5"],
    slots: "3"
  },
  {
    name: "7.0",
    portal: ["5.6.1", "0xe89f13c5ee4033b2d3cd76c9d6958efbfe26d3c2"],
    registry: ["3.9.0", "0x8f40cc98d694ab986f026c5383a181fcc9b6b281"],
    slots: "3"
  }
]

export const newest = releases.at(-1)!

export const chainOf = ({ slots }: Release): OpStackChain.OpStackChain => ({
  chainId: 901n,
  name: "our rollup",
  l1ChainId: 900n,
  systemConfig: SYSTEM_CONFIG,
  forks: {},
  ...(slots === "2.2" ? { anchorStateRegistry: { address: REGISTRY } } : {})
})

const named = (name: string): bigint => hexToBigInt(keccak256(toHex(name))) - 1n
const IMPLEMENTATION = named("eip1967.proxy.implementation")

/** The slot of a mapping's value, as Solidity computes it. */
export const mapping = (key: bigint, slot: bigint): bigint =>
  hexToBigInt(keccak256(encodeAbiParameters([{ type: "uint256" }, { type: "uint256" }], [key, slot])))

/** The slot of the root claim: `claimData[0].claim` of `claimData` at slot 2. */
export const CLAIM = hexToBigInt(keccak256(MadeChain.word(2n))) + 3n

/** A claim of a game. */
export interface Claim {
  readonly gameType: number
  readonly root: `0x${string}`
  readonly extraData: `0x${string}`
}

/** The slot of the factory for a claim. */
export const factorySlot = ({ extraData, gameType, root }: Claim): bigint =>
  mapping(
    hexToBigInt(
      keccak256(
        encodeAbiParameters([{ type: "uint32" }, { type: "bytes32" }, { type: "bytes" }], [gameType, root, extraData])
      )
    ),
    103n
  )

/** The answer of a game's `gameData()`. */
export const gameData = ({ extraData, gameType, root }: Claim): string =>
  encodeAbiParameters([{ type: "uint32" }, { type: "bytes32" }, { type: "bytes" }], [gameType, root, extraData])

/** The word of a game's state. */
export const stateWord = ({
  challenged = false,
  createdAt,
  resolvedAt,
  status
}: {
  readonly createdAt: bigint
  readonly resolvedAt: bigint
  readonly status: bigint
  readonly challenged?: boolean
}): bigint =>
  hexToBigInt(
    encodePacked(
      ["bool", "bool", "uint8", "uint64", "uint64"],
      [challenged, true, Number(status), resolvedAt, createdAt]
    )
  )

/** The word of an entry of the factory. */
export const entryWord = (gameType: number, createdAt: bigint, game: string): bigint =>
  hexToBigInt(encodePacked(["uint32", "uint64", "address"], [gameType, createdAt, game as `0x${string}`]))

export const L1_TIME = 1_760_000_000n
const CREATED = L1_TIME - 700_000n
const RESOLVED = CREATED + 302_472n

/** Options of a made rollup. */
export interface Options {
  readonly isStarting?: boolean
  readonly gameType?: number
  /** The block of the rollup whose output is settled. */
  readonly block?: MadeChain.MadeBlock
}

/** Makes a block of the rollup. */
export const rollupBlock = (
  number: bigint,
  { isIsthmus = true, parentHash = MadeChain.word(number), salt = 9n } = {}
): Promise<MadeChain.MadeBlock> =>
  MadeChain.make(
    { [PASSER]: { 7: salt } },
    { number, timestamp: L1_TIME - 800_000n + number, passer: PASSER, isIsthmus, parentHash }
  )

/** Returns the output root of a block, by viem. */
export const outputRoot = ({ json, storageRoot }: MadeChain.MadeBlock): `0x${string}` =>
  keccak256(
    encodePacked(
      ["bytes32", "bytes32", "bytes32", "bytes32"],
      [MadeChain.word(0n), json.stateRoot, storageRoot(PASSER), json.hash]
    )
  )

/** Returns the claim that a game of a type makes about a block. */
export const claimOf = (block: MadeChain.MadeBlock, gameType = 0): Claim => {
  const number = MadeChain.word(BigInt(block.json.number))
  return {
    gameType,
    root: outputRoot(block),
    extraData: gameType === 10 ? `${number}ffffffff` : number
  }
}

/** Returns the storage of the contracts that settle a block. */
export const storageOf = (
  { portal, registry, slots }: Release,
  block: MadeChain.MadeBlock,
  { gameType = 0, isStarting = false }: Options = {}
): Record<string, Record<string, bigint>> => {
  const claim = claimOf(block, gameType)
  const number = BigInt(block.json.number)
  const root = hexToBigInt(claim.root)
  const game = hexToBigInt(GAME)
  const registrySlots: Record<string, bigint> = {
    1: hexToBigInt(FACTORY),
    ...(slots === "2.2" ? { 3: isStarting ? 0n : game } : { 2: isStarting ? 0n : game }),
    ...(slots === "2.2"
      ? { 4: isStarting ? root : 1n, 5: isStarting ? number : 1n }
      : { 3: isStarting ? root : 1n, 4: isStarting ? number : 1n })
  }
  return {
    [SYSTEM_CONFIG]: { [String(named("systemconfig.optimismportal"))]: hexToBigInt(PORTAL) },
    [PORTAL]: {
      [String(IMPLEMENTATION)]: BigInt(portal[1]),
      ...(slots === "3" ? { 62: hexToBigInt(REGISTRY) } : { 59: BigInt(gameType) })
    },
    [REGISTRY]: { [String(IMPLEMENTATION)]: BigInt(registry[1]), ...registrySlots },
    [FACTORY]: { [String(factorySlot(claim))]: entryWord(gameType, CREATED, GAME) },
    [GAME]: {
      0: stateWord({ createdAt: CREATED, resolvedAt: RESOLVED, status: 2n }),
      ...(gameType === 10 ? {} : { [String(CLAIM)]: root })
    }
  }
}

/** A further game of the factory. */
export interface FurtherGame {
  readonly address: `0x${string}`
  readonly block: MadeChain.MadeBlock
  readonly status: "open" | "lost" | "won"
  readonly gameType?: number
  readonly createdAt?: bigint
  readonly resolvedAt?: bigint
  /** Number of claims: more than 1 in a game that a party disputes. */
  readonly claims?: bigint
  readonly challenged?: boolean
  /** False if the game's type was not the respected one when the game was created. */
  readonly isRespected?: boolean
}

/** The slot of the first entry of the factory's list of games. */
export const LIST = hexToBigInt(keccak256(MadeChain.word(104n)))

const STATUS = { open: 0n, lost: 1n, won: 2n } as const

/** The time of creation of a further game, unless it says another. */
export const FURTHER = L1_TIME - 400_000n

/** Adds games to the storage of the contracts, oldest first, behind the settled one. */
export const addGames = (
  storage: Record<string, Record<string, bigint>>,
  { slots }: Release,
  games: ReadonlyArray<FurtherGame>,
  { respected = 0, retired = CREATED - 1n }: { readonly respected?: number; readonly retired?: bigint } = {}
): void => {
  const word = hexToBigInt(encodePacked(["uint64", "uint32"], [retired, respected]))
  if (slots === "2.2") storage[PORTAL]![59] = word
  else storage[REGISTRY]![6] = word
  const factory = storage[FACTORY]!
  factory[String(LIST)] = entryWord(0, CREATED, GAME)
  factory[104] = BigInt(games.length + 1)
  for (const [at, game] of games.entries()) {
    const { address, block, challenged = false, claims = 1n, createdAt = FURTHER, gameType = 0, status } = game
    const claim = claimOf(block, gameType)
    const entry = entryWord(gameType, createdAt, address)
    factory[String(LIST + BigInt(at) + 1n)] = entry
    factory[String(factorySlot(claim))] = entry
    const resolvedAt = game.resolvedAt ?? (status === "open" ? 0n : createdAt + 302_400n)
    const form = gameType === 10 ? {} : { 2: claims, [String(CLAIM)]: hexToBigInt(claim.root) }
    storage[address] = {
      0: stateWord({ createdAt, resolvedAt, status: STATUS[status], challenged }),
      ...form,
      ...(game.isRespected === false ? {} : gameType === 10 ? { 8: 0x0100n } : { 10: 1n })
    }
  }
}

export { CREATED, IMPLEMENTATION, RESOLVED }
