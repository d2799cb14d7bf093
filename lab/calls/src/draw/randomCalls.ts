/** Draws calls of the world. The same seed gives the same calls. */
import { PreparedState } from "@plumbline/devnet"
import * as Random from "@plumbline/seeded/Random"
import { type Abi, concatHex, encodeFunctionData, type Hex, numberToHex, pad, parseAbi } from "viem"

import { deploying } from "../bytecode.ts"
import {
  artifacts,
  delegated,
  handmadeAddresses,
  oddAddresses,
  poor,
  proxies,
  rich,
  slotValue,
  spent,
  type Subject,
  subjects,
  workbench
} from "../callWorld.ts"
import type { Transaction } from "../outcome.ts"
import { beaconRoots, blockHashes, consolidations, withdrawals } from "../systemContracts.ts"
import { offCurve, precompileCall } from "./precompiles.ts"
import { program } from "./randomPrograms.ts"
import { address, hex, slot, someBytes, value, word } from "./values.ts"

/** A call to ask of every node. */
export interface Call {
  /** The kind of call, for the table. */
  readonly kind: Kind
  readonly transaction: Transaction
  /** The choice of the node that decides how the call ends. */
  readonly choice?: Choice
}

/** A choice that the protocol leaves to a node: see `Choices`. */
export type Choice = "feeWithoutPrice" | "gas" | "lowPrice" | "lastNonce" | "checksFirst"

/** A message that one account sends to another. */
interface Message {
  readonly to: Hex
  readonly data: Hex
}

type Draw = (random: Random.Random, depth: number) => Message

/** The block of the calls, as far as arguments refer to it. */
export interface Place {
  readonly number: number
  readonly timestamp: number
}

/** A contract's address, or that of an account that runs its code. */
const addressOf = (random: Random.Random, name: Subject): Hex => {
  const stands = [...proxies, ...delegated].filter(({ of }) => of === name)
  return Random.chance(random, 0.35) ? Random.pick(random, stands).address : subjects[name]
}

const to = (random: Random.Random, name: Subject, functionName: string, ...args: ReadonlyArray<unknown>): Message => ({
  to: addressOf(random, name),
  data: encodeFunctionData({ abi: artifacts[name]!.abi, functionName, args })
})

const list = <A>(random: Random.Random, most: number, draw: (random: Random.Random) => A): ReadonlyArray<A> =>
  Array.from({ length: Random.int(random, most + 1) }, () => draw(random))

const text = (random: Random.Random): string => "a reason, ".repeat(Random.int(random, 9)) + Random.int(random, 100)

const ends: Draw = (random) =>
  Random.pick(random, [
    () => to(random, "Ends", "reason", text(random)),
    () => to(random, "Ends", "requires", Random.chance(random, 0.5), text(random)),
    () => to(random, "Ends", "plain"),
    () => to(random, "Ends", "balance", address(random), word(random), word(random)),
    () => to(random, "Ends", "nested", word(random), someBytes(random)),
    () => to(random, "Ends", "raw", someBytes(random)),
    () => to(random, "Ends", "returned", someBytes(random, 3000)),
    () => to(random, "Ends", "panic", word(random), word(random)),
    () => to(random, "Ends", "panic", BigInt(Random.int(random, 9)), BigInt(Random.int(random, 3))),
    () => to(random, "Ends", "halt", BigInt(Random.int(random, 7))),
    () => to(random, "Ends", "payable_")
  ])()

const storage: Draw = (random) => {
  const written = list(random, 8, slot)
  // the value of the block is written as often as none: its refunds differ
  const values = written.map((slot) => Random.pick(random, [0n, 1n, slotValue(slot), word(random)]))
  return Random.pick(random, [
    () => to(random, "Slots", "write", written, values),
    () => to(random, "Slots", "read", [...written, word(random)]),
    () => to(random, "Slots", "undone", written, values),
    () => to(random, "Slots", "temporary", written, values)
  ])()
}

/** Draws creation code: of a subject, of code by hand, of a program, or one that fails. */
const creation = (random: Random.Random): Hex =>
  Random.pick(random, [
    () => artifacts["Mortal"]!.creationCode,
    () => artifacts["Stillborn"]!.creationCode,
    () => artifacts[Random.pick(random, ["Ends", "Work", "Slots"])]!.creationCode,
    () => deploying(program(random)),
    () => deploying(concatHex([Random.pick(random, ["0xef", "0xef01", "0x00"]), someBytes(random, 20)])),
    () => program(random),
    () => "0x" as const,
    () => "0x6160005ff3" as const, // as large as a code can be
    () => "0x6160015ff3" as const, // larger
    () => "0xfe" as const
  ])()

const heir = (random: Random.Random): Hex => address(random)

const endsItself = (random: Random.Random): Hex =>
  encodeFunctionData({ abi: artifacts["Mortal"]!.abi, functionName: "end", args: [heir(random)] })

const making: Draw = (random) =>
  Random.pick(random, [
    () => to(random, "Factory", "make", creation(random), value(random)),
    () => to(random, "Factory", "makeAt", creation(random), value(random), pad(numberToHex(Random.int(random, 3)))),
    () => to(random, "Factory", "makeTwice", creation(random), hex(random, 32)),
    () => to(random, "Factory", "makeAndCall", creation(random), value(random), someBytes(random, 40)),
    () => to(random, "Factory", "makeAndCall", artifacts["Mortal"]!.creationCode, value(random), endsItself(random)),
    () => {
      const heirs = heir(random)
      const data = encodeFunctionData({ abi: artifacts["Mortal"]!.abi, functionName: "end", args: [heirs] })
      return to(random, "Factory", "callAndLook", addressOf(random, "Mortal"), data, heirs)
    },
    () => ({ to: addressOf(random, "Mortal"), data: endsItself(random) })
  ])()

const surroundings =
  ({ number }: Place): Draw =>
  (random) =>
    Random.pick(random, [
      () => to(random, "Surroundings", "block_"),
      () =>
        to(
          random,
          "Surroundings",
          "hashes",
          BigInt(number - 260 + Random.int(random, 264)),
          BigInt(Random.int(random, 4))
        ),
      () => to(random, "Surroundings", "hashes", word(random), 1n),
      () => to(random, "Surroundings", "ago", Random.pick(random, [0n, 1n, 2n, 255n, 256n, 257n, word(random)])),
      () => to(random, "Surroundings", "blob", word(random)),
      () => to(random, "Surroundings", "account", address(random)),
      () => to(random, "Surroundings", "message", someBytes(random)),
      () => ({ to: addressOf(random, "Surroundings"), data: someBytes(random) })
    ])()

const work: Draw = (random) =>
  Random.pick(random, [
    () => to(random, "Work", "hash", someBytes(random, 500), word(random)),
    () => to(random, "Work", "copy", someBytes(random), small(random), small(random), small(random)),
    () => to(random, "Work", "arithmetic", word(random), word(random), word(random)),
    () => to(random, "Work", "note", word(random), hex(random, 32), address(random), someBytes(random, 400))
  ])()

const small = (random: Random.Random): bigint =>
  Random.chance(random, 0.05) ? word(random) : BigInt(Random.int(random, 700))

const system =
  ({ number, timestamp }: Place): Draw =>
  (random) => {
    const data = Random.pick(random, [
      () => pad(numberToHex(Math.max(0, number - 300 + Random.int(random, 310))), { size: 32 }),
      () => pad(numberToHex(timestamp - 12 * Random.int(random, 300)), { size: 32 }),
      () => pad(numberToHex(word(random)), { size: 32 }),
      () => someBytes(random, 80)
    ])()
    return { to: Random.pick(random, [blockHashes, beaconRoots, withdrawals, consolidations]).address, data }
  }

const prepared: Abi = parseAbi([
  "function name() view returns (string)",
  "function totalSupply() view returns (uint256)",
  "function balanceOf(address) view returns (uint256)",
  "function transfer(address,uint256) returns (bool)",
  "function transferFrom(address,address,uint256) returns (bool)",
  "function approve(address,uint256) returns (bool)",
  "function title() view returns (string)",
  "function story() view returns (string)",
  "function blob() view returns (bytes)",
  "function numbers(uint256) view returns (uint256)",
  "function small(uint256) view returns (uint32)",
  "function points(uint256) view returns (int128,int128)",
  "function notes(uint256) view returns (string)",
  "function fixedSmall(uint256) view returns (uint16)",
  "function members(address) view returns (uint64,uint32,bool,string)",
  "function visits(address,uint256) view returns (uint128)",
  "function wordCount(string) view returns (uint256)",
  "function temperature() view returns (int16)",
  "function drift() view returns (int128)",
  "function deepest() view returns (int256)",
  "function open(uint64,uint96)",
  "function write(string,bytes)",
  "function fill(uint256)",
  "function join(address,string,uint32)",
  "function close(uint64)",
  "function remove(address)",
  "function increment()",
  "function version() view returns (uint256)",
  "function advance()",
  "function migrate(uint128)"
])

const { cabinet, counter, counterV2, proxy, token } = PreparedState.contracts

/** The contracts of the prepared state, with storage of every shape. */
const contracts: Draw = (random) => {
  const item = (): bigint => BigInt(Random.int(random, 25))
  const who = (): Hex => Random.pick(random, rich)
  const at = (
    { address }: { readonly address: Hex },
    functionName: string,
    ...args: ReadonlyArray<unknown>
  ): Message => ({
    to: address,
    data: encodeFunctionData({ abi: prepared, functionName, args })
  })
  return Random.pick(random, [
    () => at(token, Random.pick(random, ["name", "totalSupply"])),
    () => at(token, "balanceOf", who()),
    () => at(token, "transfer", address(random), item()),
    () => at(token, "transferFrom", who(), who(), word(random)),
    () => at(token, "approve", address(random), word(random)),
    () => at(cabinet, Random.pick(random, ["title", "story", "blob", "temperature", "drift", "deepest"])),
    () => at(cabinet, Random.pick(random, ["numbers", "small", "points", "notes", "fixedSmall"]), item()),
    () => at(cabinet, "members", who()),
    () => at(cabinet, "visits", who(), item()),
    () => at(cabinet, "wordCount", text(random)),
    () => at(cabinet, "open", 7n, word(random) >> 160n),
    () => at(cabinet, "write", text(random), someBytes(random, 100)),
    () => at(cabinet, "fill", item()),
    () => at(cabinet, "join", who(), text(random), 5),
    () => at(cabinet, "close", 9n),
    () => at(cabinet, "remove", who()),
    () =>
      at(Random.pick(random, [proxy, counter, counterV2]), Random.pick(random, ["increment", "version", "advance"])),
    () => at(proxy, "migrate", item())
  ])()
}

const odd: Draw = (random) => ({
  to: Random.pick(random, [...handmadeAddresses, ...oddAddresses, spent]),
  data: Random.chance(random, 0.3) ? creation(random) : someBytes(random, 60)
})

const bench: Draw = (random) => ({ to: workbench, data: creationOf(program(random)) })

const creationOf = deploying

const direct: Draw = (random) => precompileCall(random)

const garbage: Draw = (random) => ({ to: address(random), data: someBytes(random, 100) })

/** Messages whose results never hold the hash of a block, so a digest of them is the same on all chains. */
const sameOnAllChains: ReadonlyArray<Draw> = [ends, storage, making, work, contracts, direct, direct]

/** Messages that are calls by themselves, and that other contracts can send. */
const inner = (place: Place): ReadonlyArray<Draw> => [
  ...sameOnAllChains,
  surroundings(place),
  system(place),
  odd,
  bench,
  garbage
]

const nested =
  (place: Place): Draw =>
  (random, depth) => {
    const message = (): Message =>
      depth > 0 && Random.chance(random, 0.3)
        ? nested(place)(random, depth - 1)
        : Random.pick(random, inner(place))(random, 0)
    const gas = Random.pick(random, [0n, 700n, 5000n, 30_000n, 100_000n, 500_000n, word(random)])
    const sent = message()
    return Random.pick(random, [
      () => to(random, "Caller", "call", sent.to, value(random), gas, sent.data),
      () => to(random, "Caller", "view_", sent.to, gas, sent.data),
      () => to(random, "Caller", "delegate", sent.to, gas, sent.data),
      () => to(random, "Caller", "callcode", sent.to, value(random), gas, sent.data),
      () => {
        const messages = [sent, ...Array.from({ length: Random.int(random, 5) }, message)]
        const [targets, datas] = [messages.map(({ to }) => to), messages.map(({ data }) => data)]
        return to(random, "Caller", "aggregate", targets, datas)
      },
      () => {
        const [from, length] = [Random.int(random, 40), Random.int(random, 40)]
        const { data, to: target } = Random.pick(random, sameOnAllChains)(random, 0)
        return to(random, "Caller", "part", target, data, BigInt(from), BigInt(length))
      },
      () => to(random, "Caller", "forwarded")
    ])()
  }

/** The kinds of calls, with the number of each in a hundred. */
const kinds = {
  "reverts and halts": 9,
  "storage and refunds": 10,
  "creation inside a call": 8,
  "block and accounts": 8,
  "memory, arithmetic, logs": 7,
  "system contracts": 4,
  "contracts of the prepared state": 8,
  "code by hand, odd delegations": 6,
  "precompiled contracts": 6,
  "points off the curve": 4,
  "calls of calls": 15,
  recursion: 1,
  "rules of nodes": 2,
  "random programs": 9,
  "creation (no receiver)": 4,
  transfers: 1
} as const

/** A kind of call. */
export type Kind = keyof typeof kinds

/** The kinds of which more than the message is drawn. */
type Whole = "creation (no receiver)" | "recursion" | "rules of nodes"

/** Every kind of call. */
export const allKinds = Object.keys(kinds) as ReadonlyArray<Kind>

const lots: ReadonlyArray<Kind> = allKinds.flatMap((kind) => Array.from({ length: kinds[kind] }, () => kind))

const messages = (place: Place): Readonly<Record<Exclude<Kind, Whole>, Draw>> => ({
  "reverts and halts": ends,
  "storage and refunds": storage,
  "creation inside a call": making,
  "block and accounts": surroundings(place),
  "memory, arithmetic, logs": work,
  "system contracts": system(place),
  "contracts of the prepared state": contracts,
  "code by hand, odd delegations": odd,
  "precompiled contracts": direct,
  "points off the curve": offCurve,
  "calls of calls": nested(place),
  "random programs": bench,
  transfers: (random) => ({ to: address(random), data: "0x" })
})

/** Draws the sender: mostly one with ether, sometimes none is named, one that has none, or a contract. */
const sender = (random: Random.Random): { readonly from?: Hex } => {
  const kind = Random.int(random, 20)
  if (kind === 0) return {}
  if (kind === 1) return { from: Random.pick(random, poor) }
  if (kind === 2) return { from: address(random) }
  return { from: Random.pick(random, rich) }
}

/** Gas of a call: enough for most, or so little that it ends somewhere on the way. */
const gasOf = (random: Random.Random, kind: Kind): number => {
  if (kind === "recursion") return Random.pick(random, [200_000, 2_000_000, 29_000_000])
  if (Random.chance(random, 0.12)) return 20_990 + Random.int(random, 80_000)
  return Random.pick(random, [300_000, 1_000_000, 3_000_000])
}

const accessList = (random: Random.Random): Pick<Transaction, "accessList"> =>
  Random.chance(random, 0.85)
    ? {}
    : {
        accessList: list(random, 4, (random) => ({
          address: Random.chance(random, 0.5) ? subjects.Slots : address(random),
          storageKeys: list(random, 4, (random) => pad(numberToHex(slot(random)), { size: 32 }))
        }))
      }

/** A price above every base fee that the chain can have here. Only a rich sender can pay it. */
const price = (random: Random.Random, from: Hex | undefined): Partial<Transaction> => {
  if (from === undefined || !rich.includes(from) || Random.chance(random, 0.75)) return {}
  const wei = 10 ** 9 + Random.int(random, 1000)
  return Random.chance(random, 0.5)
    ? { gasPrice: numberToHex(wei) }
    : { maxFeePerGas: numberToHex(wei), maxPriorityFeePerGas: numberToHex(Random.int(random, 1000)) }
}

/** Draws a call whose end is a choice of the node and not of the protocol. */
const chosen = (random: Random.Random): Required<Pick<Call, "choice" | "transaction">> =>
  Random.pick<() => Required<Pick<Call, "choice" | "transaction">>>(random, [
    () => ({ choice: "feeWithoutPrice", transaction: { ...to(random, "Surroundings", "fees"), gas: "0x186a0" } }),
    () => ({ choice: "gas", transaction: left }),
    () => ({ choice: "gas", transaction: { ...left, gas: numberToHex(25_000_000 + Random.int(random, 50_000_000)) } }),
    () => ({
      choice: "lowPrice",
      transaction: { ...to(random, "Ends", "payable_"), from: rich[0]!, gas: "0x186a0", maxFeePerGas: "0x1" }
    }),
    () => ({ choice: "lastNonce", transaction: { from: spent, data: creation(random), gas: "0x1e8480" } }),
    () => ({
      choice: "checksFirst",
      transaction: { ...to(random, "Ends", "payable_"), from: poor[0]!, gas: "0x5000", value: "0x1" }
    })
  ])()

const left: Transaction = {
  to: subjects.Caller,
  data: encodeFunctionData({ abi: artifacts["Caller"]!.abi, functionName: "left" })
}

/** Draws one call. */
export const draw = (random: Random.Random, place: Place): Call => {
  const kind = Random.pick(random, lots)
  if (kind === "rules of nodes") return { kind, ...chosen(random) }
  const from = sender(random)
  const wei = kind === "transfers" ? Random.pick(random, [0n, 1n, 10n ** 18n, 10n ** 24n]) : value(random)
  const options = {
    ...from,
    ...(wei === 0n ? {} : { value: numberToHex(wei) }),
    gas: numberToHex(gasOf(random, kind)),
    ...accessList(random),
    ...price(random, from.from)
  }
  const fees = options.gasPrice ?? options.maxFeePerGas
  if (kind === "creation (no receiver)") return { kind, transaction: { ...options, data: creation(random) } }
  if (kind === "recursion") {
    const count = Random.pick(random, [1n, 20n, 900n, 1030n, 3000n])
    return { kind, transaction: { ...options, ...to(random, "Caller", "deeper", count) } }
  }
  if (kind === "block and accounts" && fees !== undefined && Random.chance(random, 0.5)) {
    return { kind, transaction: { ...options, ...to(random, "Surroundings", "fees") } }
  }
  return { kind, transaction: { ...options, ...messages(place)[kind](random, 2) } }
}

/** Draws calls. Call number `n` depends on the seed and on `n` only, so each can be repeated alone. */
export const drawMany = (seed: number, count: number, place: Place): ReadonlyArray<Call> =>
  Array.from({ length: count }, (_, index) => draw(Random.make(seed * 1_000_003 + index), place))
