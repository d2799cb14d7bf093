/** TypeScript 5.9 with the strictest options. */
import type { Environment } from "../place.ts"
import * as Strictest from "./strictest.ts"

export const typescript59: Environment = {
  name: "typescript-5.9",
  about: "TypeScript 5.9, strictest",
  isFast: false,
  run: (place) => Strictest.run(place, "typescript-5.9")
}
