/** All liars about Ethereum. */
import { liars as contents } from "./contents.ts"
import { liars as forgedBlocks } from "./forgedBlocks.ts"
import { liars as labels } from "./labels.ts"
import type { Liar } from "./liar.ts"
import { liars as otherBlocks } from "./otherBlocks.ts"
import { liars as states } from "./states.ts"

export const liars: ReadonlyArray<Liar> = [...labels, ...forgedBlocks, ...contents, ...states, ...otherBlocks]
