/** Targets of `pnpm lab fuzz`: the light client of the beacon chain. */
import type { Target } from "../target.ts"
import * as Fuzz from "./fuzz.ts"

export const targets: ReadonlyArray<Target> = [Fuzz.update]
