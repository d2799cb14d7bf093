/**
 * Locations: where the value that a path names is, computed from the layout alone.
 */
import * as Result from "effect/Result"

import * as Elements from "./internal/elements.ts"
import { number } from "./internal/keyNumber.ts"
import * as MappingKey from "./internal/mappingKey.ts"
import * as Root from "./internal/root.ts"
import type { Layout } from "./Layout.ts"
import * as Path from "./Path.ts"
import { PathError } from "./PathError.ts"
import * as Slot from "./Slot.ts"
import type * as StorageType from "./StorageType.ts"

/** The length of an array on the way, which must be above the index that the path takes. */
export interface Bound {
  /** The slot of the length. */
  readonly slot: Slot.Slot
  readonly index: bigint
  /** The array's path. */
  readonly path: string
}

/** Where something is. */
export interface Location {
  /** The path that led here. */
  readonly path: string
  /** Whether the value itself is meant, or only how long it is. */
  readonly part: "value" | "length"
  readonly slot: Slot.Slot
  /** Bytes from the low-order end of the slot. */
  readonly offset: number
  /** How many bytes are used from there on, without what is elsewhere. Of all but parts of a word: whole slots. */
  readonly bytes: bigint
  /** Of the value, also where only its length is meant. */
  readonly type: StorageType.StorageType
  /** Which indices stay within their arrays only storage can tell. */
  readonly bounds: ReadonlyArray<Bound>
}

/**
 * Finds what a path names. It needs no words of storage.
 *
 * **Details**
 *
 * Indices of dynamic arrays are not compared with the array's length, which is in storage: they are in `bounds`, and a
 * `Plan` reads and compares them.
 *
 * Fails with `PathError`, which points at the character.
 *
 * ```ts import.meta.vitest
 * import { Layout, Location } from "@plumbline/storage-layout"
 * import { Result } from "effect"
 *
 * const word = { encoding: "inplace", label: "uint256", numberOfBytes: "32" }
 * const key = { encoding: "inplace", label: "address", numberOfBytes: "20" }
 * const balances = { encoding: "mapping", label: "", numberOfBytes: "32", key: "t_address", value: "t_uint256" }
 * const layout = Result.getOrThrow(
 *   Layout.fromSolc({
 *     storage: [{ label: "balanceOf", offset: 0, slot: "3", type: "t_balances" }],
 *     types: { t_uint256: word, t_address: key, t_balances: balances }
 *   })
 * )
 * const path = "balanceOf[0x00000000219ab540356cbb839cbe05303d7705fa]"
 * const location = Result.getOrThrow(Location.locate(layout, path))
 * location.type.label // => "uint256"
 * const wrong = Location.locate(layout, "balanceOf[7]")
 * Result.isFailure(wrong) && wrong.failure.at // => 10
 * ```
 */
export const locate = (layout: Layout, path: string | Path.Path): Result.Result<Location, PathError> =>
  Result.flatMap(typeof path === "string" ? Path.parse(path) : Result.succeed(path), (path) => {
    const refuse = (reason: PathError["reason"], at: number, detail: string) =>
      Result.fail(new PathError({ reason, path: path.text, at, detail }))
    const root = Root.find(layout, path)
    if (Result.isFailure(root)) return refuse(root.failure.reason, root.failure.at, root.failure.detail)
    let here = root.success.location
    for (const step of path.steps.slice(root.success.used)) {
      const next = here.part === "value" ? follow(layout, here, step, path.text) : noStep("a length is a number")
      if (Result.isFailure(next)) return refuse(next.failure.reason, step.at, next.failure.detail)
      here = next.success
    }
    return Result.succeed({ ...here, path: path.text })
  })

interface Refusal {
  readonly reason: PathError["reason"]
  readonly detail: string
}

const follow = (layout: Layout, here: Location, step: Path.Step, text: string): Result.Result<Location, Refusal> => {
  const to = (id: StorageType.TypeId, slot: Slot.Slot, offset: number): Location =>
    Root.at(layout.types.get(id)!, slot, offset, here.bounds)
  const { slot, type } = here
  if (step._tag === "Member") {
    if (type._tag === "Struct") {
      const member = type.members.find(({ name }) => name === step.name)
      if (member !== undefined) return Result.succeed(to(member.type, Slot.add(slot, member.slot), member.offset))
      const names = Root.some(type.members.map(({ name }) => name))
      return Result.fail({ reason: "Unknown", detail: `${type.label} has no member ${step.name}; it has ${names}` })
    }
    if (type._tag === "Opaque") return noStep(`${type.label} is opaque: ${type.reason}`)
    if (step.name !== "length") return noStep(`${type.label} has no members`)
    if (type._tag === "FixedArray") return noStep(`the length of ${type.label} is in the code, not in storage`)
    return hasLength(type)
      ? Result.succeed({ ...here, part: "length", bytes: 32n })
      : noStep(`${type.label} has no length`)
  }
  switch (type._tag) {
    case "Mapping": {
      const key = layout.types.get(type.key)!
      return Result.map(MappingKey.entry(layout, key, step.key, slot), (entry) =>
        // a word of its own: the value is where it would be in a slot that it begins
        to(type.value, entry, Elements.place(layout, layout.types.get(type.value)!, entry, 0n).offset)
      )
    }
    case "FixedArray":
    case "DynamicArray":
    case "BoundedArray": {
      const index = number(step.key)
      if (index === undefined || index < 0n) {
        return Result.fail({ reason: "BadKey", detail: `expected an index of ${type.label}` })
      }
      const most = type._tag === "FixedArray" ? type.length : type._tag === "BoundedArray" ? type.limit : Slot.COUNT
      if (index >= most) return Result.fail({ reason: "BadKey", detail: `${type.label} ends before ${index}` })
      const start =
        type._tag === "FixedArray" ? slot : type._tag === "BoundedArray" ? Slot.add(slot, 1n) : Slot.data(slot)
      const place = Elements.place(layout, layout.types.get(type.base)!, start, index)
      const found = to(type.base, place.slot, place.offset)
      return Result.succeed(
        type._tag === "FixedArray"
          ? found
          : { ...found, bounds: [...found.bounds, { slot, index, path: text.slice(0, step.at - 1) }] }
      )
    }
    default:
      return noStep(`${type.label} is not indexed`)
  }
}

const hasLength = (type: StorageType.StorageType): boolean =>
  type._tag === "DynamicArray" ||
  type._tag === "BoundedArray" ||
  type._tag === "DynamicBytes" ||
  type._tag === "BoundedBytes"

const noStep = (detail: string): Result.Result<never, Refusal> => Result.fail({ reason: "NoSuchStep", detail })
