/** Resolves the start of a path: a variable, or the struct of a namespace. */
import * as Nearest from "@plumbline/codec/text/Nearest"
import * as Result from "effect/Result"

import type { VariableElsewhere, Layout, Namespace, Variable } from "../layout/Layout.ts"
import type { ParsedPath } from "../path/Path.ts"
import type { PathError } from "../path/PathError.ts"
import * as StoragePlace from "./storagePlace.ts"

interface Refusal {
  readonly reason: PathError["reason"]
  readonly at: number
  readonly detail: string
}

interface Found {
  readonly location: StoragePlace.Location
  /** The number of steps of the path that belong to the variable's name. */
  readonly used: number
}

/** Joins the first few distinct names, for an error. */
export const some = (names: Iterable<string>, between = ", "): string => {
  const unique = new Set(names)
  const first = [...unique].slice(0, 8).map(shortened)
  return first.length === 0 ? "none" : first.join(between) + (unique.size > first.length ? " and others" : "")
}

/** Returns the end of an error: the names that the path probably means, otherwise the first few names of the layout. */
export const instead = (wanted: string, names: ReadonlyArray<string>): string => {
  const near = Nearest.find(wanted, names).map(shortened)
  return near.length === 0 ? `; it has ${some(names)}` : `; did you mean ${near.join(" or ")}?`
}

const shortened = (name: string): string => (name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name)

const MAX_NAME = 80

/**
 * The variables of a layout by bare name and by qualified name (with the contract or module that declares them), and
 * the namespaces by id.
 */
interface Names {
  readonly variables: ReadonlyMap<string, ReadonlyArray<Variable>>
  /** Variables of the contract itself, without those of its modules. */
  readonly own: ReadonlyMap<string, ReadonlyArray<Variable>>
  readonly qualified: ReadonlyMap<string, ReadonlyArray<Variable>>
  /** Contracts and modules that declare variables. */
  readonly declaring: ReadonlySet<string>
  /** All names, and for a name `a.b` also `a`. */
  readonly within: ReadonlySet<string>
  readonly namespaces: ReadonlyMap<string, ReadonlyArray<Namespace>>
}

/** A cache of the names in each layout, because reading a whole layout looks up every variable. */
const known = /* @__PURE__ */ new WeakMap<Layout, Names>()

const namesOf = (layout: Layout): Names => {
  const before = known.get(layout)
  if (before !== undefined) return before
  const declared = layout.variables.filter(({ declaredIn }) => declaredIn !== undefined)
  const declaring = new Set(declared.map(({ declaredIn }) => declaredIn!))
  const names: Names = {
    variables: Map.groupBy(layout.variables, ({ name }) => name),
    own: Map.groupBy(
      layout.variables.filter(({ declaredIn }) => declaredIn === undefined),
      ({ name }) => name
    ),
    qualified: Map.groupBy(declared, ({ declaredIn, name }) => `${declaredIn}.${name}`),
    declaring,
    within: new Set([...declaring].flatMap(beginnings)),
    namespaces: Map.groupBy(layout.namespaces, ({ id }) => id)
  }
  known.set(layout, names)
  return names
}

/** Returns `a`, `a.b` and `a.b.c` for `a.b.c`. */
const beginnings = (declaring: string): ReadonlyArray<string> =>
  declaring.split(".").map((_, i, parts) => parts.slice(0, i + 1).join("."))

export const find = (layout: Layout, path: ParsedPath): Result.Result<Found, Refusal> => {
  const { root } = path
  const refuse = (reason: PathError["reason"], detail: string, at = root.at) => Result.fail({ reason, at, detail })
  if (root._tag === "Namespace") {
    const found = namesOf(layout).namespaces.get(root.id) ?? []
    const [first] = found
    if (first === undefined) {
      const names = instead(
        root.id,
        layout.namespaces.map(({ id }) => id)
      )
      return refuse("Unknown", `the layout has no namespace of this id${names}`)
    }
    if (found.some(({ type }) => type !== first.type)) return refuse("Ambiguous", "several structs have this namespace")
    return Result.succeed({ location: StoragePlace.at(layout.types.get(first.type)!, first.slot, 0, []), used: 0 })
  }
  const succeed = ({ offset, slot, type }: Variable, used: number) =>
    Result.succeed({ location: StoragePlace.at(layout.types.get(type)!, slot, offset, []), used })
  const names = namesOf(layout)
  const called = names.variables.get(root.name) ?? []
  // a variable of the contract itself takes precedence over variables of modules
  const own = called.length > 1 ? (names.own.get(root.name) ?? []) : called
  if (own.length === 1) return succeed(own[0]!, 0)
  if (called.length > 1) {
    // Examines only as many variables as the error shows, because each search goes through the whole layout.
    const ways = called
      .slice(0, MAX_WAYS)
      .flatMap(({ declaredIn, name }) => (declaredIn === undefined ? [] : [`${declaredIn}.${name}`]))
    const way = ways.length === 0 ? "only the syntax tree tells them apart" : `write ${some(ways, " or ")}`
    return refuse("Ambiguous", `${called.length} variables are called ${root.name}: ${way}`)
  }
  let qualified = root.name
  for (const [index, step] of path.steps.entries()) {
    if (step._tag !== "Member") break
    const inside = qualified
    qualified += `.${step.name}`
    const found = names.qualified.get(qualified) ?? []
    if (found.length === 1) return succeed(found[0]!, index + 1)
    if (found.length > 1) return refuse("Ambiguous", `several variables are called ${qualified}`)
    if (!names.within.has(qualified) && names.declaring.has(inside)) {
      const there = whereOf(layout, step.name)
      if (there !== undefined) return refuse("Elsewhere", there, step.at)
      const declared = layout.variables.flatMap(({ declaredIn, name }) => (declaredIn === inside ? [name] : []))
      return refuse("Unknown", `${inside} declares no variable ${step.name}${instead(step.name, declared)}`, step.at)
    }
  }
  const there = whereOf(layout, root.name)
  if (there !== undefined) return refuse("Elsewhere", there)
  const all = instead(root.name, [...names.variables.keys()])
  return refuse("Unknown", `the contract has no variable ${root.name}${all}`)
}

/** Says where the contract keeps a variable that is not in the layout's area. */
const whereOf = (layout: Layout, name: string): string | undefined => {
  const found = layout.elsewhere.find((other) => other.name === name)
  return found === undefined ? undefined : `${name} ${WHERE[found.where]}`
}

const WHERE = {
  constant: "is a constant: its value is in the contract's code, not in storage",
  immutable: "is immutable: its value is in the contract's code, not in storage",
  transient: "is transient: it is empty after each transaction, and no node returns it",
  storage: "is in permanent storage, not in the transient one"
} as const satisfies Record<VariableElsewhere["where"], string>

/** Maximum number of qualified names to collect: one more than an error shows. */
const MAX_WAYS = 9
