/** The environment with TypeScript 7 and its strictest options. */
import type { Environment } from "../place.ts"
import * as Strictest from "./strictest.ts"

export const typescript7: Environment = {
  name: "typescript-7",
  about: "TypeScript 7, strictest",
  isFast: true,
  run: (place) => Strictest.run(place, "typescript-7")
}
