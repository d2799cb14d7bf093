/**
 * Codes events that an ABI describes: topics that select logs, and the arguments in a log.
 *
 * Source: Solidity's documentation (contract ABI specification, events).
 */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Keccak256 from "@plumbline/codec/hash/Keccak256"
import * as Hex from "@plumbline/codec/hex/Hex"
import * as Nearest from "@plumbline/codec/text/Nearest"
import * as Result from "effect/Result"

import { AbiArgumentError, AbiEventError, type AbiEventFault, AbiNameError } from "./AbiError.ts"
import * as AbiItems from "./abiItems.ts"
import * as AbiParameters from "./AbiParameters.ts"
import type { Abi, AbiEvent, AbiParameter, EventArgs, EventName, EventSelection } from "./AbiType.ts"
import * as AbiTypes from "./abiTypes.ts"

/** An event in a log. An indexed argument of a type without fixed size is only known by its hash. */
export type DecodedEvent<A extends Abi, Name extends EventName<A> = EventName<A>> = {
  readonly [N in Name]: { readonly name: N; readonly args: EventArgs<A, N> }
}[Name]

/**
 * Returns the name of an event with the types of its arguments.
 *
 * ```ts import.meta.vitest
 * import { AbiEvent } from "@plumbline/contracts"
 *
 * const inputs = [{ type: "address", indexed: true }, { type: "uint256" }]
 * AbiEvent.signature({ name: "Deposit", inputs }) // => "Deposit(address,uint256)"
 * AbiEvent.topic({ name: "Deposit", inputs }) // => "0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c"
 * ```
 */
export const signature = ({ inputs, name }: Pick<AbiEvent, "inputs" | "name">): string => name + AbiTypes.names(inputs)

/** Returns the first topic of an event: the hash of its signature. An anonymous event does not have it. */
export const topic = (item: Pick<AbiEvent, "inputs" | "name">): Hash32.Hash32 =>
  Keccak256.hashHex(encoder.encode(signature(item)))

const encoder = /* @__PURE__ */ new TextEncoder()

/** The topics that select logs, as `LogFilter` takes them: null accepts any topic. */
export type Topics = ReadonlyArray<Hash32.Hash32 | ReadonlyArray<Hash32.Hash32> | null>

/**
 * Returns the topics that select the logs of an event, without those at the end that accept any topic.
 *
 * A list is a list of alternatives, and has at least one value. Texts and bytes are compared by their hashes. Arrays and
 * tuples select no logs, because their hashes are of another encoding. A value for an argument that the event does not
 * index is an error: without it, the selection would have more logs than it says.
 *
 * ```ts import.meta.vitest
 * import { AbiEvent } from "@plumbline/contracts"
 * import { Result } from "effect"
 * import { parseAbi } from "viem/utils"
 *
 * const abi = parseAbi(["event Transfer(address indexed from, address indexed to, uint256 value)"])
 * const to = "0x00000000219ab540356cbb839cbe05303d7705fa"
 * const topics = Result.getOrThrow(AbiEvent.topics(abi, "Transfer", { to }))
 * topics[0] // => "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
 * topics.slice(1) // => [null, `0x${"0".repeat(24)}${to.slice(2)}`]
 * ```
 */
export const topics = <const A extends Abi, const Name extends EventName<A>>(
  abi: A,
  name: Name,
  selection?: EventSelection<A, Name>
): Result.Result<Topics, AbiArgumentError | AbiNameError> => {
  const [item, ...others] = AbiItems.named(abi, "event", name)
  if (item === undefined) return Result.fail(AbiItems.unknown(abi, "event", name))
  if (others.length > 0) return Result.fail(AbiItems.ambiguous("event", name, [item, ...others].map(signature)))
  const indexed = item.inputs.filter((input) => input.indexed === true)
  const given: unknown = selection
  const stray = strayIn(given, indexed)
  if (stray !== undefined) return Result.fail(stray)
  const selected: Array<Topics[number]> = item.anonymous === true ? [] : [topic(item)]
  for (const [position, input] of indexed.entries()) {
    const value = Array.isArray(given)
      ? given[position]
      : (given as Readonly<Record<string, unknown>> | undefined)?.[input.name ?? ""]
    const found = value === undefined || value === null ? null : topicsOf(input, value)
    if (found === undefined) {
      const reason = { _tag: "Value", position, type: AbiTypes.name(input), form: undefined } as const
      return Result.fail(new AbiArgumentError({ types: AbiTypes.names(indexed), reason }))
    }
    selected.push(found)
  }
  const last = selected.findLastIndex((found) => found !== null)
  return Result.succeed(selected.slice(0, last + 1))
}

/** Returns the error for a value that belongs to no indexed argument; undefined if there is none. */
const strayIn = (given: unknown, indexed: ReadonlyArray<AbiParameter>): AbiArgumentError | AbiNameError | undefined => {
  if (typeof given !== "object" || given === null) return undefined
  if (Array.isArray(given)) {
    const reason = { _tag: "Count", expected: indexed.length, given: given.length } as const
    return given.length > indexed.length ? new AbiArgumentError({ types: AbiTypes.names(indexed), reason }) : undefined
  }
  const names = indexed.flatMap(({ name }) => (name ? [name] : []))
  const wanted = Object.keys(given).find((name) => !names.includes(name))
  return wanted === undefined
    ? undefined
    : new AbiNameError({ kind: "argument", wanted, overloads: [], nearest: Nearest.find(wanted, names) })
}

/** Returns the topic of a value, or the topics of alternatives; undefined if a value has none. */
const topicsOf = (input: AbiParameter, value: unknown): Topics[number] | undefined => {
  if (!Array.isArray(value)) return topicOf(input, value)
  const all = value.map((one) => topicOf(input, one))
  // to nodes an empty list means any topic, which is not what a list without values says
  return all.length > 0 && all.every((one) => one !== undefined) ? all : undefined
}

const topicOf = (input: AbiParameter, value: unknown): Hash32.Hash32 | undefined => {
  if (input.type === "string") {
    // a text with half a character has no UTF-8
    return typeof value === "string" && value.isWellFormed() ? Keccak256.hashHex(encoder.encode(value)) : undefined
  }
  if (input.type === "bytes") return Hex.isHex(value) ? Keccak256.hashHex(Hex.toBytesUnsafe(value)) : undefined
  if (isHashed(input)) return undefined
  return Result.getOrUndefined(AbiParameters.encode([input], [value])) as Hash32.Hash32 | undefined
}

/** True for types whose values do not fit a topic: it holds their hash. */
const isHashed = ({ type }: AbiParameter): boolean =>
  type === "string" || type === "bytes" || type === "tuple" || type.endsWith("]")

/** The parts of a log in which an event is. */
export interface EventSource {
  readonly topics: ReadonlyArray<Hex.Hex>
  readonly data: Hex.Hex
}

/**
 * Decodes the event in a log. The data must be exactly the encoding of the event's arguments.
 *
 * ```ts import.meta.vitest
 * import { AbiEvent } from "@plumbline/contracts"
 * import { Result } from "effect"
 * import { parseAbi } from "viem/utils"
 *
 * const abi = parseAbi(["event Deposit(address indexed by, uint256 wei)"])
 * const by = `0x${"0".repeat(24)}${"ab".repeat(20)}` as const
 * const log = { topics: [AbiEvent.topic(abi[0]), by], data: `0x${"00".repeat(31)}05` } as const
 * Result.getOrThrow(AbiEvent.decode(abi, log)) // => { name: "Deposit", args: { by: `0x${"ab".repeat(20)}`, wei: 5n } }
 *
 * const other = AbiEvent.decode(abi, { ...log, topics: [log.topics[0]] })
 * Result.isFailure(other) && other.failure.message // => "Deposit(address,uint256) has 2 topics, and the log has 1"
 * ```
 */
export const decode = <const A extends Abi, const Name extends EventName<A> = EventName<A>>(
  abi: A,
  log: EventSource
): Result.Result<DecodedEvent<A, Name>, AbiEventError> => {
  const [first, ...indexed] = log.topics
  let failure = new AbiEventError({ event: undefined, fault: { _tag: "UnknownEvent" } })
  for (const item of (first === undefined ? undefined : byTopic(abi).get(first.toLowerCase())) ?? []) {
    const args = argsOf(item, indexed, log.data)
    if (Result.isSuccess(args)) {
      return Result.succeed({ name: item.name, args: args.success } as DecodedEvent<A, Name>)
    }
    failure = new AbiEventError({ event: signature(item), fault: args.failure })
  }
  return Result.fail(failure)
}

/** Returns the events of an ABI by their first topics. They are kept with the ABI, because many logs are decoded by one. */
const byTopic = (abi: Abi): ReadonlyMap<string, ReadonlyArray<AbiEvent>> => {
  const kept = events.get(abi)
  if (kept !== undefined) return kept
  const named = abi.filter((item): item is AbiEvent => item.type === "event" && item.anonymous !== true)
  const made = Map.groupBy(named, (item): string => topic(item))
  events.set(abi, made)
  return made
}

const events = /* @__PURE__ */ new WeakMap<Abi, ReadonlyMap<string, ReadonlyArray<AbiEvent>>>()

const argsOf = (
  { inputs }: AbiEvent,
  topics: ReadonlyArray<Hex.Hex>,
  data: Hex.Hex
): Result.Result<unknown, AbiEventFault> => {
  const indexed = inputs.filter((input) => input.indexed === true)
  if (indexed.length !== topics.length) {
    return Result.fail({ _tag: "Topics", expected: 1 + indexed.length, given: 1 + topics.length })
  }
  const inTopics: Array<unknown> = []
  for (const [at, input] of indexed.entries()) {
    const decoded = isHashed(input) ? undefined : AbiParameters.decode([input], topics[at]!, { exact: true })
    if (decoded !== undefined && Result.isFailure(decoded)) {
      return Result.fail({ _tag: "Values", cause: decoded.failure })
    }
    inTopics.push(decoded === undefined ? topics[at] : decoded.success[0])
  }
  const inData = AbiParameters.decode(
    inputs.filter((input) => input.indexed !== true),
    data,
    { exact: true }
  )
  if (Result.isFailure(inData)) return Result.fail({ _tag: "Values", cause: inData.failure })
  let [topic, datum] = [0, 0]
  const values = inputs.map((input) => (input.indexed === true ? inTopics[topic++] : inData.success[datum++]))
  return Result.succeed(
    inputs.length > 0 && AbiTypes.haveNames(inputs)
      ? Object.fromEntries(inputs.map(({ name }, index) => [name!, values[index]]))
      : values
  )
}
