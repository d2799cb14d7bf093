/** Hands a bundle from another screen to the verify screen, in the memory of the open page. */
import * as Atom from "effect/reactivity/Atom"

import { setAtom } from "../look/useAtom.ts"
import type { Given } from "./Verify.tsx"

/** The bundle. */
export const handed: Atom.Writable<Given | undefined> = Atom.keepAlive(Atom.make<Given | undefined>(undefined))

/** Hands a bundle over. */
export const hand = (given: Given): void => setAtom(handed, given)
