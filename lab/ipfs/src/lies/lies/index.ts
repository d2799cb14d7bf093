/** Every lie, in the order of the table. */
import type { Family } from "../lie.ts"
import * as Cars from "./carLies.ts"
import * as Content from "./contentLies.ts"
import * as Shape from "./shapeLies.ts"
import * as Stream from "./streamLies.ts"
import * as Writes from "./writeLies.ts"

export const families: ReadonlyArray<Family> = [
  ...Content.families,
  ...Cars.families,
  ...Writes.families,
  ...Stream.families,
  ...Shape.families
]
