/** All liars about Ethereum. */
import { Catalogue } from "@plumbline/tamper"

import { liars as contents } from "./contents.ts"
import { liars as forgedBlocks } from "./forgedBlocks.ts"
import { liars as labels } from "./labels.ts"
import { type Liar, telling } from "./liar.ts"
import { liars as otherBlocks } from "./otherBlocks.ts"
import { liars as states } from "./states.ts"

/** Liars that tell the published lies. Faults of the connection need a server, and `@plumbline/faults` has more of them. */
const published = Catalogue.lies.filter(({ how }) => how._tag === "Answer").map(telling)

export const liars: ReadonlyArray<Liar> = [
  ...published,
  ...labels,
  ...forgedBlocks,
  ...contents,
  ...states,
  ...otherBlocks
]

/** Liars that leave something out, as the published lies by omission do. */
export const omissions: ReadonlyArray<Liar> = Catalogue.omissions.map(telling)
