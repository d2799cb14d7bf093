/** Typed paths of recursive structs, read from emitted declarations. `models.ts` explains the form of this file. */
import type { Accessor } from "@plumbline/storage-layout"

import { vault } from "./declared/vault.js"

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const holds = <_Claim extends true>(): void => undefined
type ValueOf<Ref> = Ref extends Accessor.Ref<infer A> ? A : never

export const deep = vault.tree.kids.at(0).byName.get("a").kids.at(1).kids.at(2)
holds<Same<typeof deep.size, Accessor.Ref<bigint>>>()
holds<Same<typeof deep.kids.length, Accessor.Ref<bigint>>>()
holds<Same<ReturnType<typeof deep.byName.get>["size"], Accessor.Ref<bigint>>>()
// error: Property 'sizes' does not exist on type …. Did you mean 'size'?
export const misspelt = deep.sizes
// error: Argument of type 'number' is not assignable to parameter of type 'string'.
export const mistyped = vault.tree.kids.at(0).kids.at(0).byName.get(7)

export const value = (tree: ValueOf<typeof vault.tree>) => {
  const kid = tree.kids[0]!.kids[1]!
  holds<Same<typeof kid.size, bigint>>()
  // error: Property 'byName' does not exist on type …
  return kid.kids[0]!.byName
}

const left = vault.left.rights.at(0).lefts.at(0).rights.at(0)
holds<Same<keyof ValueOf<typeof left>, "lefts">>()
// error: Property 'rights' does not exist on type …
export const twice = left.rights
