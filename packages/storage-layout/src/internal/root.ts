/** The start of a path: a variable, or the struct of a namespace. */
import * as Result from "effect/Result"

import type { Layout, Namespace, Variable } from "../Layout.ts"
import type { Bound, Location } from "../Location.ts"
import type { Path } from "../Path.ts"
import type { PathError } from "../PathError.ts"
import type { Slot } from "../Slot.ts"
import * as StorageType from "../StorageType.ts"

interface Refusal {
  readonly reason: PathError["reason"]
  readonly at: number
  readonly detail: string
}

interface Found {
  readonly location: Location
  /** How many steps of the path belong to the variable's name. */
  readonly used: number
}

/** A place of a value. */
export const at = (
  type: StorageType.StorageType,
  slot: Slot,
  offset: number,
  bounds: ReadonlyArray<Bound>
): Location => {
  const bytes = StorageType.isValueType(type) ? BigInt(type.size) : 32n * StorageType.slots(type)
  return { path: "", part: "value", slot, offset, bytes, type, bounds }
}

/** The first few names, for an error. */
export const some = (names: ReadonlyArray<string>, between = ", "): string => {
  const first = names.slice(0, 8).map((name) => (name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name))
  return first.length === 0 ? "none" : first.join(between) + (names.length > first.length ? " and others" : "")
}

const MAX_NAME = 80

/** Variables by their names, and namespaces by their ids. */
interface Names {
  readonly variables: ReadonlyMap<string, ReadonlyArray<Variable>>
  readonly namespaces: ReadonlyMap<string, ReadonlyArray<Namespace>>
}

/** Of each layout that a path was looked up in: everything of a layout is a look for each of its variables. */
const known = /* @__PURE__ */ new WeakMap<Layout, Names>()

const namesOf = (layout: Layout): Names => {
  const before = known.get(layout)
  if (before !== undefined) return before
  const names: Names = {
    variables: Map.groupBy(layout.variables, ({ name }) => name),
    namespaces: Map.groupBy(layout.namespaces, ({ id }) => id)
  }
  known.set(layout, names)
  return names
}

export const find = (layout: Layout, path: Path): Result.Result<Found, Refusal> => {
  const { root } = path
  const refuse = (reason: PathError["reason"], detail: string, at = root.at) => Result.fail({ reason, at, detail })
  if (root._tag === "Namespace") {
    const found = namesOf(layout).namespaces.get(root.id) ?? []
    const [first] = found
    if (first === undefined) {
      const names = some(layout.namespaces.map(({ id }) => id))
      return refuse("Unknown", `the layout has no namespace of this id; it has ${names}`)
    }
    if (found.some(({ type }) => type !== first.type)) return refuse("Ambiguous", "several structs have this namespace")
    return Result.succeed({ location: at(layout.types.get(first.type)!, first.slot, 0, []), used: 0 })
  }
  const succeed = ({ offset, slot, type }: Variable, used: number) =>
    Result.succeed({ location: at(layout.types.get(type)!, slot, offset, []), used })
  const called = namesOf(layout).variables.get(root.name) ?? []
  // a variable of the contract itself goes before those of modules
  const own = called.length > 1 ? called.filter(({ declaredIn }) => declaredIn === undefined) : called
  if (own.length === 1) return succeed(own[0]!, 0)
  if (called.length > 1) {
    const names = called.flatMap(({ declaredIn, name }) => (declaredIn === undefined ? [] : [`${declaredIn}.${name}`]))
    const way = names.length === 0 ? "only the syntax tree tells them apart" : `write ${some(names, " or ")}`
    return refuse("Ambiguous", `${called.length} variables are called ${root.name}: ${way}`)
  }
  let qualified = root.name
  for (const [index, step] of path.steps.entries()) {
    if (step._tag !== "Member") break
    const inside = qualified
    qualified += `.${step.name}`
    const found = layout.variables.filter(({ declaredIn, name }) => `${declaredIn}.${name}` === qualified)
    if (found.length === 1) return succeed(found[0]!, index + 1)
    if (found.length > 1) return refuse("Ambiguous", `several variables are called ${qualified}`)
    const goesOn = layout.variables.some(({ declaredIn }) => `${declaredIn}.`.startsWith(`${qualified}.`))
    if (!goesOn && layout.variables.some(({ declaredIn }) => declaredIn === inside)) {
      return refuse("Unknown", `${inside} declares no variable ${step.name}`, step.at)
    }
  }
  const names = some(layout.variables.map(({ name }) => name))
  return refuse("Unknown", `the contract has no variable ${root.name}; it has ${names}`)
}
