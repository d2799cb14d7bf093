/** A node that lies in one answer, and the outcome at a verified client. */
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import { Transport } from "@plumbline/jsonrpc-core/transport/Transport"
import * as Random from "@plumbline/seeded/Random"
import { type RefutedError, type UnprovenError, type Verdict } from "@plumbline/verdict"
import { Effect, type Layer, Result } from "effect"

import { EthClient, TrustedBlock, VerdictEthClient } from "../../src/index.ts"
import { changes, removals, reorderings } from "./changes.ts"
import type * as Made from "./made.ts"
import * as Nodes from "./node.ts"
import type { Ask } from "./questions.ts"

/** A wrong answer: the kind of change, its place, and the changed answer. */
export interface Lie {
  readonly kind: string
  readonly path: string
  readonly json: Made.Json
}

/** One call to an honest node, with its answer. */
export interface Told {
  readonly method: string
  readonly params: ReadonlyArray<unknown>
  readonly answer: Made.Json
}

/** A read, its calls to the honest node, and its verdict. */
export interface Conversation {
  readonly name: string
  readonly ask: Ask
  readonly verdict: Verdict.Verified<unknown>
  readonly told: ReadonlyArray<Told>
}

export type Outcome = Result.Result<Verdict.Verdict<unknown>, JsonRpcError | RefutedError | UnprovenError>

/** A client over a node whose answers can be replaced. */
export interface Bench {
  /** Sends a read to the honest node, and records the answers. The verdict must be VERIFIED. */
  readonly record: (name: string, ask: Ask) => Effect.Effect<Conversation>
  /** Sends a read to a node that replaces some of its answers. */
  readonly against: (ask: Ask, lies: Nodes.Replies) => Effect.Effect<Outcome>
}

export const bench = Effect.fnUntraced(function* (
  honest: Nodes.Replies,
  trust: Layer.Layer<TrustedBlock.TrustedBlock>
) {
  const known = new Map<string, Made.Json | undefined>()
  const answer: Nodes.Replies = (method, params) => {
    const id = idOf(method, params)
    if (known.has(id)) return known.get(id)
    const said = honest(method, params)
    if (said instanceof Promise) {
      return said.then((settled) => {
        known.set(id, settled)
        return settled
      })
    }
    return said
  }
  let replies = answer
  const { calls, transport } = Nodes.node((method, params) => replies(method, params))
  const eth = yield* Effect.provideService(EthClient.make, Transport, transport)
  const trusted = yield* Effect.provide(TrustedBlock.TrustedBlock, trust)
  // every read gets a new client, so that no client remembers earlier answers
  const put = (ask: Ask): Effect.Effect<Outcome> =>
    Effect.suspend(() => Effect.result(ask(VerdictEthClient.make(eth, trusted))))

  const record: Bench["record"] = Effect.fnUntraced(function* (name, ask) {
    replies = answer
    calls.length = 0
    const verdict = Result.getOrThrow(yield* put(ask))
    if (verdict._tag === "CLAIMED") throw new Error(`${name} is only claimed: ${verdict.claimed[0]?.reason.sentence}`)
    const distinct = new Map(calls.map((call) => [idOf(call.method, call.params), call]))
    const told: Array<Told> = []
    for (const { method, params } of distinct.values()) {
      const said = yield* Effect.promise(async () => answer(method, params))
      told.push({ method, params, answer: said as Made.Json })
    }
    return { name, ask, verdict, told }
  })

  const against: Bench["against"] = (ask, lies) => {
    replies = (method, params) => {
      const lie = lies(method, params)
      return lie === undefined ? answer(method, params) : lie
    }
    return put(ask)
  }
  return { record, against } satisfies Bench
})

export const idOf = (method: string, params: ReadonlyArray<unknown>): string => `${method} ${JSON.stringify(params)}`

/** Returns the replies of a node that lies only in this answer. */
export const lying = (told: Told, json: Made.Json): Nodes.Replies => {
  const id = idOf(told.method, told.params)
  return (method, params) => (method === told.method && idOf(method, params) === id ? json : undefined)
}

/** Returns one lie of each kind about each field. In lists, the field of one random item is changed. */
export const oneLieEach = (answer: Made.Json, random: Random.Random): ReadonlyArray<Lie> => {
  const lies = Map.groupBy(everyLie(answer, random), ({ kind, path }) => `${kind} ${anywhere(path)}`)
  return Array.from(lies.values(), (alike) => Random.pick(random, alike))
}

/** Returns all lies that change one thing in an answer: one field, byte string, node or list item. */
export const everyLie = (answer: Made.Json, random: Random.Random): ReadonlyArray<Lie> => {
  const as =
    (kind: string) =>
    ({ json, path }: { readonly path: string; readonly json: Made.Json }): Lie => ({ kind, path, json })
  return [
    ...changes(answer).map(as("changed")),
    ...replacements(answer, "", (value) => flipped(value, random)).map(as("flipped")),
    ...replacements(answer, "", (value) => (value === null ? undefined : null)).map(as("nulled")),
    ...removals(answer).map(as("removed")),
    ...reorderings(answer).map(({ json, path }): Lie => {
      const [where = "", kind = ""] = path.split(" ")
      return { kind, path: where, json }
    }),
    ...replacements(answer, "", appended).map(as("appended")),
    ...replacements(answer, "", widened).map(as("widened"))
  ]
}

type Replace = (value: Made.Json) => Made.Json | undefined

/** Returns copies of an answer. Each copy has one value replaced, at any depth. */
const replacements = (json: Made.Json, path: string, replace: Replace): ReadonlyArray<Omit<Lie, "kind">> => {
  const other = replace(json)
  const here = other === undefined ? [] : [{ path, json: other }]
  if (Array.isArray(json)) {
    return here.concat(
      json.flatMap((item, at) =>
        replacements(item, `${path}[${at}]`, replace).map((lie) => ({ ...lie, json: json.with(at, lie.json) }))
      )
    )
  }
  if (!isObject(json)) return here
  return here.concat(
    Object.entries(json).flatMap(([name, value]) =>
      replacements(value, path === "" ? name : `${path}.${name}`, replace).map((lie) => ({
        ...lie,
        json: { ...json, [name]: lie.json }
      }))
    )
  )
}

const isObject = (json: Made.Json): json is Made.JsonObject =>
  typeof json === "object" && json !== null && !Array.isArray(json)

/** Flips one bit of a text of 32 bytes or more. */
const flipped = (value: Made.Json, random: Random.Random): Made.Json | undefined => {
  if (typeof value !== "string" || value.length < 66 || value.length % 2 === 1) return undefined
  const at = 2 + 2 * Random.int(random, value.length / 2 - 1)
  const byte = Number.parseInt(value.slice(at, at + 2), 16) ^ (1 << Random.int(random, 8))
  return value.slice(0, at) + byte.toString(16).padStart(2, "0") + value.slice(at + 2)
}

/** Appends an item to a list, or a byte to a byte string. The new item differs from the last item of the list. */
const appended = (value: Made.Json): Made.Json | undefined => {
  if (Array.isArray(value)) {
    const last = value.at(-1) ?? `0x${"ab".repeat(32)}`
    return [...value, changes(last)[0]?.json ?? last]
  }
  return typeof value === "string" && value.length > 66 ? `${value}00` : undefined
}

/** Adds an unknown field to an object. */
const widened = (value: Made.Json): Made.Json | undefined =>
  isObject(value) ? { ...value, [UNKNOWN]: "0x1" } : undefined

/** The name of an unknown field. */
export const UNKNOWN = "plumb"

const junk: ReadonlyArray<Made.Json> = [
  null,
  true,
  0,
  "",
  "0x",
  "0x0",
  "0x1",
  "0x7e",
  "0x80",
  `0x${"00".repeat(32)}`,
  `0x${"ff".repeat(20)}`,
  [],
  {},
  ["0x"],
  [null]
]

/** Makes a random change at one place of the answer, at any depth. */
export const randomLie = (json: Made.Json, random: Random.Random): Made.Json => {
  const next = (below: number): number => Random.int(random, below)
  if (next(40) > 0 && Array.isArray(json) && json.length > 0) {
    const at = next(json.length)
    const other = next(json.length)
    return Random.pick(random, [
      () => json.toSpliced(at, 1),
      () => json.toSpliced(at, 0, json[other]!),
      () => json.with(at, json[other]!).with(other, json[at]!),
      () => json.with(at, randomLie(json[at]!, random)),
      () => json.with(at, randomLie(json[at]!, random))
    ])()
  }
  if (next(40) > 0 && isObject(json) && Object.keys(json).length > 0) {
    const name = Random.pick(random, Object.keys(json))
    const { [name]: value = null, ...rest } = json
    // most lies keep the object well-formed, because a malformed answer is refused before any check
    const kind = next(20)
    if (kind === 0) return rest
    if (kind === 1) return { ...json, [Random.pick(random, Object.keys(json))]: value }
    return { ...json, [name]: randomLie(value, random) }
  }
  if (typeof json === "string" && next(20) > 0) {
    return flipped(json, random) ?? Random.pick(random, changes(json)).json
  }
  return Random.pick(random, junk)
}

/** Returns the path with `[]` in place of each index. */
export const anywhere = (path: string): string => path.replaceAll(/\[\d+\]/gu, "[]")

/**
 * Returns the paths at which the answer differs from the proven value. Each index is written as `[]`. A field that is
 * missing differs like any other; only null and a missing field are the same.
 */
export const contradictions = (proven: unknown, said: unknown, path = ""): ReadonlyArray<string> => {
  if (proven === said || (proven == null && said == null)) return []
  if (Array.isArray(proven) && Array.isArray(said) && proven.length === said.length) {
    return [...new Set(proven.flatMap((item, at) => contradictions(item, said[at], `${path}[]`)))]
  }
  if (isRecord(proven) && isRecord(said)) {
    return [...new Set([...Object.keys(proven), ...Object.keys(said)])].flatMap((name) =>
      isNothingCreated(name, said)
        ? []
        : contradictions(proven[name], said[name], path === "" ? name : `${path}.${name}`)
    )
  }
  const same = typeof proven === "string" && typeof said === "string" && proven.toLowerCase() === said.toLowerCase()
  return same ? [] : [path]
}

/** True for the contract of a failed creation, if the answer has none. Some nodes send its address, others null. */
const isNothingCreated = (name: string, receipt: Readonly<Record<string, unknown>>): boolean =>
  name === "contractAddress" && receipt[name] === null && receipt["status"] === 0n

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/**
 * Returns the fields in which a VERIFIED answer differs from the honest one, except for claimed fields. Any such field
 * means that a lie passed.
 */
export const fooled = (verdict: Verdict.Verified<unknown>, honest: unknown): ReadonlyArray<string> => {
  // the path of a claim begins with the list's name; a path in a list value begins with the index
  const fields = verdict.claimed.map(({ field }) =>
    Array.isArray(honest) ? field.replace(/^(?:receipts|logs)(?=\[\])/u, "") : field
  )
  return contradictions(honest, verdict.value).filter((path) =>
    fields.every((field) => path !== field && !path.startsWith(`${field}.`) && !path.startsWith(`${field}[`))
  )
}

/** Returns the value. If the value equals `same`, returns a changed value. */
export const otherThan = (value: Made.Json, same: Made.Json): Made.Json =>
  value === same ? changes(value)[0]!.json : value
