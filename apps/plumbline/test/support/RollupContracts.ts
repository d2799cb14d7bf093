/**
 * The contracts of a rollup on an anvil that is L1. Their storage is written by viem from the published layouts of release
 * 7, so that it is an oracle for the package's own.
 */
import { encodeAbiParameters, encodePacked, hexToBigInt, keccak256, numberToHex, toHex } from "viem"

export type Text = `0x${string}`

const PORTAL_5_6_1 = "0xe89f13c5ee4033b2d3cd76c9d6958efbfe26d3c2"
const REGISTRY_3_9_0 = "0x8f40cc98d694ab986f026c5383a181fcc9b6b281"

export const word = (value: bigint): Text => numberToHex(value, { size: 32 })
const named = (name: string): Text => word(hexToBigInt(keccak256(toHex(name))) - 1n)
const IMPLEMENTATION = named("eip1967.proxy.implementation")
const CLAIM = word(hexToBigInt(keccak256(word(2n))) + 3n)
const LIST = hexToBigInt(keccak256(word(104n)))

/** Asks a node. */
export const rpc = async (url: string, method: string, params: ReadonlyArray<unknown>): Promise<any> => {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
  })
  const { error, result }: any = await response.json()
  if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`)
  return result
}

/** A block of the rollup, and the storage root of its message passer. */
export interface Output {
  readonly hash: Text
  readonly number: Text
  readonly stateRoot: Text
  readonly passerRoot: Text
}

/** Returns the output root of a block. */
export const outputRoot = ({ hash, passerRoot, stateRoot }: Output): Text =>
  keccak256(encodePacked(["bytes32", "bytes32", "bytes32", "bytes32"], [word(0n), stateRoot, passerRoot, hash]))

/** Code that returns the given bytes: it copies what follows its 14 bytes. */
const returning = (data: Text): string => {
  const size = (data.length - 2) / 2
  return `0x61${size.toString(16).padStart(4, "0")}80600c6000396000f3${data.slice(2)}`
}

/** The addresses of a deployment. They begin with the same digit. */
export interface Contracts {
  readonly systemConfig: Text
  readonly portal: Text
  readonly registry: Text
  readonly factory: Text
  /** The game that is the anchor, and an open game about a newer block. */
  readonly game: Text
  readonly open: Text
}

export const contractsOf = (digit: string): Contracts => {
  const at = (other: string): Text => `0x${`${digit}${other}`.repeat(20)}`
  return {
    systemConfig: at("1"),
    portal: at("2"),
    registry: at("3"),
    factory: at("4"),
    game: at("6"),
    open: at("7")
  }
}

export interface Deployment {
  /** The first digit of the addresses. */
  readonly digit: string
  /** The block that the anchor game claims. */
  readonly settled: Output
  /** A newer block, which an open game claims. */
  readonly proposed?: Output
  /** The status of the anchor game. Default: 2, its defender won. */
  readonly status?: number
  /** The block whose claim the factory knows the anchor game by, if it is another one than the game tells. */
  readonly registered?: Output
}

/** Writes the contracts into the state of an anvil. The next block has them. */
export const deploy = async (
  l1: string,
  { digit, proposed, registered, settled, status = 2 }: Deployment,
  now: bigint
): Promise<Contracts> => {
  const contracts = contractsOf(digit)
  const { factory, game, open, portal, registry, systemConfig } = contracts
  const created = now - 700_000n
  const dataOf = (output: Output): Text =>
    encodeAbiParameters(
      [{ type: "uint32" }, { type: "bytes32" }, { type: "bytes" }],
      [0, outputRoot(output), word(BigInt(output.number))]
    )
  const entryOf = (output: Output): Text =>
    keccak256(encodeAbiParameters([{ type: "bytes32" }, { type: "uint256" }], [keccak256(dataOf(output)), 103n]))
  const idOf = (time: bigint, at: Text): Text => encodePacked(["uint32", "uint64", "address"], [0, time, at])
  const stateOf = (made: bigint, of: number): Text =>
    encodePacked(["bool", "uint8", "uint64", "uint64"], [true, of, of === 0 ? 0n : made + 302_472n, made])
  const storage: Array<readonly [account: Text, slot: Text, value: Text]> = [
    [systemConfig, named("systemconfig.optimismportal"), portal],
    [portal, IMPLEMENTATION, PORTAL_5_6_1],
    [portal, word(62n), registry],
    [registry, IMPLEMENTATION, REGISTRY_3_9_0],
    [registry, word(1n), factory],
    [registry, word(2n), game],
    [registry, word(6n), encodePacked(["uint64", "uint32"], [created - 1n, 0])],
    [factory, entryOf(registered ?? settled), idOf(created, game)],
    [factory, word(104n), proposed === undefined ? "0x01" : "0x02"],
    [factory, word(LIST), idOf(created, game)],
    [game, word(0n), stateOf(created, status)],
    [game, CLAIM, outputRoot(settled)]
  ]
  const codes: Array<readonly [account: Text, code: string]> = [
    ...[systemConfig, portal, registry, factory].map((account) => [account, "0x00"] as const),
    [game, returning(dataOf(settled))]
  ]
  if (proposed !== undefined) {
    const opened = created + 600_000n
    storage.push(
      [factory, word(LIST + 1n), idOf(opened, open)],
      [factory, entryOf(proposed), idOf(opened, open)],
      [open, word(0n), stateOf(opened, 0)],
      [open, word(2n), "0x01"],
      [open, CLAIM, outputRoot(proposed)],
      [open, word(10n), "0x01"]
    )
    codes.push([open, returning(dataOf(proposed))])
  }
  for (const [account, code] of codes) await rpc(l1, "anvil_setCode", [account, code])
  for (const [account, slot, value] of storage) {
    await rpc(l1, "anvil_setStorageAt", [account, slot, word(BigInt(value))])
  }
  return contracts
}

/** Moves a rollup to the contracts of another deployment. The next block has the change. */
export const move = (l1: string, digit: string, to: string): Promise<unknown> =>
  rpc(l1, "anvil_setStorageAt", [
    contractsOf(digit).systemConfig,
    named("systemconfig.optimismportal"),
    word(BigInt(contractsOf(to).portal))
  ])
