/** Targets of `pnpm lab fuzz`: the second chain's verifiers. */
import type { Target } from "../target.ts"
import * as Fuzz from "./fuzz.ts"

export const targets: ReadonlyArray<Target> = [Fuzz.transaction, Fuzz.oldTransaction]
