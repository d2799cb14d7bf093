/**
 * A table of methods: the contract from which client, server, checks and documentation are made.
 */
import type * as Method from "./Method.ts"

/** A table of methods by name. */
export interface MethodGroup<Methods extends Readonly<Record<string, Method.Any>>> {
  /** The methods by name. The object has no prototype, so inherited names such as `toString` find nothing. */
  readonly methods: Methods
  /** Looks up a method by an untrusted name. Returns `undefined` if the group has no such method. */
  readonly get: (name: string) => Method.Any | undefined
}

/** Any group. */
export type Any = MethodGroup<Readonly<Record<string, Method.Any>>>

/** The methods of a list, by name. */
export type ByName<M extends Method.Any> = { readonly [N in M["name"]]: Extract<M, { readonly name: N }> }

/**
 * Makes a group of the given methods. Throws if two different methods have the same name.
 *
 * ```ts import.meta.vitest
 * import { Method, MethodGroup } from "@plumbline/jsonrpc-core"
 * import { Schema } from "effect"
 *
 * const group = MethodGroup.make(
 *   Method.make("ping", { params: [], result: Schema.String }),
 *   Method.make("sum", { params: [Method.param("terms", Schema.Array(Schema.Number))], result: Schema.Number })
 * )
 * group.methods.ping.name // => "ping"
 * group.get("sum") === group.methods.sum // => true
 * group.get("toString") // => undefined
 * ```
 */
export const make = <const Methods extends ReadonlyArray<Method.Any>>(
  ...methods: Methods
): MethodGroup<ByName<Methods[number]>> => {
  const byName = new Map<string, Method.Any>()
  const table: Record<string, Method.Any> = Object.create(null)
  for (const method of methods) {
    const known = byName.get(method.name)
    if (known !== undefined && known !== method) {
      throw new Error(`MethodGroup: two different methods are called ${method.name}`)
    }
    byName.set(method.name, method)
    table[method.name] = method
  }
  return { methods: Object.freeze(table) as ByName<Methods[number]>, get: (name) => byName.get(name) }
}

/** The methods of groups, as a union. */
export type MethodOf<G extends Any> = G extends Any ? G["methods"][keyof G["methods"]] : never

/** Merges several groups into one. A method may be in more than one of them. */
export const merge = <const Groups extends ReadonlyArray<Any>>(
  ...groups: Groups
): MethodGroup<ByName<MethodOf<Groups[number]>>> =>
  make(...groups.flatMap((group) => Object.values(group.methods))) as MethodGroup<ByName<MethodOf<Groups[number]>>>
