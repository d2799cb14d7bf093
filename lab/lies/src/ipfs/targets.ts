/** Targets of `pnpm lab fuzz`: the verifiers of IPFS. */
import type { Target } from "../target.ts"
import * as Codecs from "./fuzz/codecs.ts"
import * as Paths from "./fuzz/paths.ts"
import * as Readers from "./fuzz/readers.ts"

export const targets: ReadonlyArray<Target> = [...Codecs.targets, ...Readers.targets, ...Paths.targets]
