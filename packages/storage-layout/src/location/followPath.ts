/** Follows a path from a variable to a value, step by step. */
import * as Result from "effect/Result"

import type { Layout } from "../layout/Layout.ts"
import type * as StorageType from "../layout/StorageType.ts"
import { number } from "../path/keyNumber.ts"
import * as Path from "../path/Path.ts"
import { PathError } from "../path/PathError.ts"
import * as Slot from "../slot/Slot.ts"
import * as ArrayElements from "./arrayElements.ts"
import * as MappingKey from "./mappingKey.ts"
import * as PathRoot from "./pathRoot.ts"
import type { Location } from "./storagePlace.ts"
import * as StoragePlace from "./storagePlace.ts"

/** A place along a path, and the steps of the path that lead to it from the previous place. */
export interface PassedPlace {
  /** The steps. A variable or a namespace has only the steps that are part of its own name, usually none. */
  readonly steps: ReadonlyArray<Path.PathStep>
  readonly to: Location
}

/** Follows a path. Appends each place along the path to `trail`, if it is given. */
export const walk = (
  layout: Layout,
  path: string | Path.ParsedPath,
  trail?: Array<PassedPlace>
): Result.Result<Location, PathError> =>
  Result.flatMap(typeof path === "string" ? Path.parse(path) : Result.succeed(path), (path) => {
    const refuse = (reason: PathError["reason"], at: number, detail: string) =>
      Result.fail(new PathError({ reason, path: path.text, at, detail }))
    const root = PathRoot.find(layout, path)
    if (Result.isFailure(root)) return refuse(root.failure.reason, root.failure.at, root.failure.detail)
    const { location, used } = root.success
    let here = location
    trail?.push({ steps: path.steps.slice(0, used), to: here })
    for (const step of path.steps.slice(used)) {
      const next = here.part === "value" ? follow(layout, here, step, path.text) : noStep("a length is a number")
      if (Result.isFailure(next)) return refuse(next.failure.reason, step.at, next.failure.detail)
      here = next.success
      trail?.push({ steps: [step], to: here })
    }
    return Result.succeed({ ...here, path: path.text })
  })

interface Refusal {
  readonly reason: PathError["reason"]
  readonly detail: string
}

const follow = (
  layout: Layout,
  here: Location,
  step: Path.PathStep,
  text: string
): Result.Result<Location, Refusal> => {
  const to = (id: StorageType.TypeId, slot: Slot.Slot, offset: number): Location =>
    StoragePlace.at(layout.types.get(id)!, slot, offset, here.bounds)
  const { slot, type } = here
  if (step._tag === "Member") {
    if (type._tag === "Struct") {
      const member = type.members.find(({ name }) => name === step.name)
      if (member !== undefined) return Result.succeed(to(member.type, Slot.add(slot, member.slot), member.offset))
      const names = PathRoot.instead(
        step.name,
        type.members.map(({ name }) => name)
      )
      return Result.fail({ reason: "Unknown", detail: `${type.label} has no member ${step.name}${names}` })
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
        // the entry starts a new word; the value has the same offset there as in any other word
        to(type.value, entry, ArrayElements.place(layout, layout.types.get(type.value)!, entry, 0n).offset)
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
      const place = ArrayElements.place(layout, layout.types.get(type.base)!, start, index)
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
