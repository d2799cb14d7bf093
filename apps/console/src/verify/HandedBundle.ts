/** Passes a bundle from another screen to the verify screen, in the memory of the open page. */
import * as Atom from "effect/reactivity/Atom"

import { setAtom } from "../look/useAtom.ts"
import type { GivenBundle } from "./VerifyScreen.tsx"

/** The bundle to verify, if another screen passed one. */
export const handed: Atom.Writable<GivenBundle | undefined> = Atom.keepAlive(
  Atom.make<GivenBundle | undefined>(undefined)
)

/** Passes a bundle to the verify screen. */
export const hand = (given: GivenBundle): void => setAtom(handed, given)
