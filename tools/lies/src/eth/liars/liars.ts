/** All liars about Ethereum. */
import type { Liar } from "./liar.ts"
import { liars as ofBlocks } from "./liarsOfBlocks.ts"
import { liars as ofLabels } from "./liarsOfLabels.ts"

export const liars: ReadonlyArray<Liar> = [...ofLabels, ...ofBlocks]
