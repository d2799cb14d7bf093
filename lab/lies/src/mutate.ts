/**
 * Mutations of JSON answers that suit any verifier.
 *
 * A mutation changes one place of the answer, at any depth, or two places consistently, as a lying or broken node would
 * change a value of that kind. Mutations that need a verifier's data, such as hashing a changed trie node again, are in
 * the files of their targets.
 */
import { RLP } from "@ethereumjs/rlp"
import * as Random from "@plumbline/seeded/Random"

import * as Json from "./json.ts"

/** Mutates answers of one kind. */
export interface Mutator {
  /**
   * Returns the answer with at least one mutation. After each mutation, another one follows with a chance of one in
   * four.
   */
  readonly mutate: (answer: Json.Json, random: Random.Random) => Json.Json
  /** Returns the answer with exactly one mutation. */
  readonly once: (answer: Json.Json, random: Random.Random) => Json.Json
}

/** Makes a mutator. `donors` are true answers of the same kind, whose values are put into the mutated answer. */
export const make = (answers: ReadonlyArray<Json.Json>, donors: ReadonlyArray<Json.Json> = answers): Mutator => {
  const known = new Map(answers.map((answer) => [answer, Json.places(answer)]))
  const given = donors.flatMap((donor) => Json.places(donor))
  const byName = Map.groupBy(given, ({ path }) => nameOf(path))
  const byLength = Map.groupBy(
    given.filter(({ value }) => typeof value === "string"),
    ({ value }) => (value as string).length
  )
  const once = (answer: Json.Json, random: Random.Random): Json.Json => {
    const all = known.get(answer) ?? Json.places(answer)
    for (let tries = 0; tries < 20; tries++) {
      const changed = mutation(random)({ answer, all, byName, byLength, random })
      if (changed !== undefined && changed !== answer) return changed
    }
    return answer
  }
  return {
    once,
    mutate: (answer, random) => {
      let changed = once(answer, random)
      while (Random.chance(random, 0.25)) changed = once(changed, random)
      return changed
    }
  }
}

interface Input {
  readonly answer: Json.Json
  readonly all: ReadonlyArray<Json.Place>
  readonly byName: ReadonlyMap<string, ReadonlyArray<Json.Place>>
  readonly byLength: ReadonlyMap<number, ReadonlyArray<Json.Place>>
  readonly random: Random.Random
}

type Mutation = (input: Input) => Json.Json | undefined

/** Returns the name of the member. For an item of a list, returns the name of the list. */
const nameOf = (path: Json.Path): string => {
  const name = path.findLast((step) => typeof step === "string") ?? ""
  return typeof path.at(-1) === "number" ? `${name}[]` : name
}

const isText = ({ value }: Json.Place): boolean => typeof value === "string"

/** Returns a random place that fits, or `undefined` after a few attempts. */
const place = ({ all, random }: Input, fits: (place: Json.Place) => boolean): Json.Place | undefined => {
  for (let tries = 0; tries < 8; tries++) {
    const found = Random.pick(random, all)
    if (fits(found)) return found
  }
  return undefined
}

const leafChanged =
  (
    fits: (place: Json.Place) => boolean,
    change: (value: Json.Json, random: Random.Random) => Json.Json | undefined
  ): Mutation =>
  (input) => {
    const found = place(input, fits)
    if (found === undefined) return undefined
    const value = change(found.value, input.random)
    return value === undefined ? undefined : Json.set(input.answer, found.path, value)
  }

const digits = Array.from({ length: 16 }, (_, digit) => digit.toString(16))

/** Changes one digit of a text. */
export const flipped = (text: string, random: Random.Random): string => {
  if (text.length <= 2) return `${text}1`
  const at = 2 + Random.int(random, text.length - 2)
  const other = Random.pick(
    random,
    digits.filter((c) => c !== text[at])
  )
  return text.slice(0, at) + other + text.slice(at + 1)
}

/** Makes a text longer or shorter at either end. */
export const resized = (text: string, random: Random.Random): string => {
  const bytes = 1 + Random.int(random, 3)
  switch (Random.int(random, 6)) {
    case 0:
      return text.slice(0, Math.max(2, text.length - 2 * bytes))
    case 1:
      return text + Random.pick(random, ["00", "01", "ff", "80"]).repeat(bytes)
    case 2:
      return `0x${text.slice(2 + 2 * bytes)}`
    case 3:
      return `0x${"00".repeat(bytes)}${text.slice(2)}`
    case 4:
      return `0x${text.slice(2).replace(/^0+/u, "")}`
    default:
      return text.slice(0, -1)
  }
}

const edges: ReadonlyArray<Json.Json> = [
  "0x|0x0|0x1|0x00|0x01|0x7f|0x80|0xff|0x100|0xffffffff|0x100000000|0x1fffffffffffff|0x20000000000000".split("|"),
  ["0x7fffffffffffffff", "0xffffffffffffffff", "0x10000000000000000", `0x${"f".repeat(64)}`, `0x1${"0".repeat(64)}`],
  [`0x${"00".repeat(32)}`, `0x${"00".repeat(20)}`, "", "latest", "0X1", "0xg", "1", "-0x1"],
  [null, true, false, 0, 1, -1, 1e300, [], {}, [null], ["0x"]]
].flat()

/** Returns a number next to the given number, or a number at an edge of a range. Negates a boolean. */
const beside = (value: Json.Json, random: Random.Random): Json.Json => {
  if (typeof value === "boolean") return !value
  if (typeof value === "string" && /^0x[0-9a-f]{1,16}$/u.test(value) && Random.chance(random, 0.5)) {
    const number = BigInt(value) + Random.pick(random, [1n, -1n, 256n, 1n << 32n, 1n << 64n])
    return number < 0n ? "0x0" : `0x${number.toString(16)}`
  }
  return Random.pick(random, edges)
}

/** Replaces a value by another value with the same name or length, from this answer or from another true answer. */
const spliced: Mutation = (input) => {
  const { answer, byLength, byName, random } = input
  const found = place(input, ({ path }) => path.length > 0)
  if (found === undefined) return undefined
  const others = (Random.chance(random, 0.7) ? byName.get(nameOf(found.path)) : undefined) ??
    (typeof found.value === "string" ? byLength.get(found.value.length) : undefined) ?? [found]
  const other = Random.pick(random, others).value
  return other === found.value ? undefined : Json.set(answer, found.path, other)
}

/** Exchanges the values of two places with the same name or the same length. */
const swapped: Mutation = (input) => {
  const { all, answer, random } = input
  const one = place(input, ({ path }) => path.length > 0)
  if (one === undefined) return undefined
  const alike = all.filter(
    ({ path, value }) =>
      value !== one.value &&
      (nameOf(path) === nameOf(one.path) ||
        (typeof value === "string" && typeof one.value === "string" && value.length === one.value.length))
  )
  if (alike.length === 0) return undefined
  const other = Random.pick(random, alike)
  return Json.set(Json.set(answer, one.path, other.value), other.path, one.value)
}

/** Replaces one value everywhere, so that all its places agree with each other. */
const renamed: Mutation = (input) => {
  const { answer, byLength, random } = input
  const found = place(input, isText)
  if (found === undefined || typeof found.value !== "string") return undefined
  const others = byLength.get(found.value.length) ?? []
  const other =
    others.length > 1 && Random.chance(random, 0.5) ? Random.pick(random, others).value : flipped(found.value, random)
  return other === found.value ? undefined : Json.replaceAll(answer, found.value, other)
}

const lists: Mutation = (input) => {
  const { answer, byName, random } = input
  const found = place(input, ({ value }) => Json.isList(value))
  if (found === undefined || !Json.isList(found.value)) return undefined
  const list = found.value
  const at = Random.int(random, list.length)
  const foreign = byName.get(`${nameOf(found.path).replace("[]", "")}[]`)
  const changed = ((): ReadonlyArray<Json.Json> => {
    switch (Random.int(random, 7)) {
      case 0:
        return list.toSpliced(at, 1)
      case 1:
        return list.toSpliced(at, 0, list[at] ?? null)
      case 2: {
        const to = Random.int(random, list.length)
        return list.length < 2 ? [] : list.with(at, list[to]!).with(to, list[at]!)
      }
      case 3:
        return list.toReversed()
      case 4:
        return list.slice(0, at)
      case 5:
        return foreign === undefined ? [] : list.toSpliced(at, 0, Random.pick(random, foreign).value)
      default:
        return foreign === undefined || list.length === 0 ? [null] : list.with(at, Random.pick(random, foreign).value)
    }
  })()
  return Json.set(answer, found.path, changed)
}

const members: Mutation = (input) => {
  const { answer, byName, random } = input
  const found = place(input, ({ value }) => Json.isObject(value))
  if (found === undefined || !Json.isObject(found.value)) return undefined
  const names = Object.keys(found.value)
  if (names.length === 0) return undefined
  const name = Random.pick(random, names)
  const value = found.value[name]!
  switch (Random.int(random, 4)) {
    case 0:
      return Json.set(answer, [...found.path, name], undefined)
    case 1:
      return Json.set(answer, [...found.path, `x${name}`], value)
    case 2: {
      // adds a member that other answers of this kind have
      const donor = Random.pick(
        random,
        [...byName.keys()].filter((key) => key !== "" && !key.endsWith("[]"))
      )
      return Json.set(answer, [...found.path, donor], Random.pick(random, byName.get(donor)!).value)
    }
    default: {
      const other = Random.pick(random, names)
      return other === name
        ? undefined
        : Json.set(Json.set(answer, [...found.path, name], found.value[other]), [...found.path, other], value)
    }
  }
}

/** Changes an item of RLP inside a text, and encodes the whole again. */
const rlp: Mutation = leafChanged(
  ({ value }) => typeof value === "string" && value.length > 6 && /^0x(?:[c-f]|b[89a-f])/u.test(value),
  (value, random) => rlpChanged(value as string, random)
)

type Item = Uint8Array | Array<Item>

/** Returns RLP with one of its items changed, dropped, doubled or moved; `undefined` if the text is not RLP. */
export const rlpChanged = (text: string, random: Random.Random): string | undefined => {
  if (!/^0x(?:[0-9a-f]{2})*$/iu.test(text)) return undefined
  let item: Item
  try {
    item = RLP.decode(Buffer.from(text.slice(2), "hex"))
  } catch {
    return undefined
  }
  return `0x${Buffer.from(RLP.encode(itemChanged(item, random))).toString("hex")}`
}

/** Returns an RLP item with one mutation somewhere in it. */
export const itemChanged = (item: Item, random: Random.Random): Item => {
  if (!Array.isArray(item)) return bytesChanged(item, random)
  if (item.length === 0) return Random.pick(random, [[new Uint8Array(0)], [[]], new Uint8Array(0)])
  const at = Random.int(random, item.length)
  if (Random.chance(random, 0.75)) return item.with(at, itemChanged(item[at]!, random))
  switch (Random.int(random, 5)) {
    case 0:
      return item.toSpliced(at, 1)
    case 1:
      return item.toSpliced(at, 0, item[at]!)
    case 2: {
      const to = Random.int(random, item.length)
      return item.with(at, item[to]!).with(to, item[at]!)
    }
    case 3:
      return item.with(at, [item[at]!])
    default:
      return item.with(at, Random.pick<Item>(random, [new Uint8Array(0), [], new Uint8Array(32), Uint8Array.of(0)]))
  }
}

/** Returns bytes with one mutation: a flipped bit, a byte added or removed, or other bytes. */
export const bytesChanged = (bytes: Uint8Array, random: Random.Random): Uint8Array => {
  const at = Random.int(random, bytes.length)
  switch (Random.int(random, 7)) {
    case 0:
      return bytes.slice(0, -1)
    case 1:
      return Uint8Array.from([...bytes, Random.int(random, 256)])
    case 2:
      return Uint8Array.from([0, ...bytes])
    case 3:
      return bytes.slice(1)
    case 4:
      return new Uint8Array(bytes.length).fill(Random.pick(random, [0, 255]))
    default:
      if (bytes.length === 0) return Uint8Array.of(1)
      return bytes.with(at, bytes[at]! ^ (1 << Random.int(random, 8)))
  }
}

const flips = leafChanged(isText, (value, random) => flipped(value as string, random))
const lengths = leafChanged(isText, (value, random) => resized(value as string, random))
const numbers = leafChanged(({ path }) => path.length > 0, beside)

/**
 * The kinds of mutation. The more productive kinds are in the list several times, so that they are chosen more often.
 */
const kinds: ReadonlyArray<Mutation> = [
  flips,
  flips,
  flips,
  lengths,
  numbers,
  numbers,
  spliced,
  spliced,
  swapped,
  swapped,
  renamed,
  lists,
  lists,
  members,
  members,
  rlp,
  rlp
]

const mutation = (random: Random.Random): Mutation => Random.pick(random, kinds)
