/** Every lie, in the order of the table. */
import type { Family } from "../lie.ts"
import * as Cars from "./cars.ts"
import * as Content from "./content.ts"
import * as Shape from "./shape.ts"
import * as Stream from "./stream.ts"
import * as Writes from "./writes.ts"

export const families: ReadonlyArray<Family> = [
  ...Content.families,
  ...Cars.families,
  ...Writes.families,
  ...Stream.families,
  ...Shape.families
]
