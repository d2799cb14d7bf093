/** TypeScript 6 with the strictest options. */
import type { Environment } from "../place.ts"
import * as Strictest from "./strictest.ts"

export const typescript6: Environment = {
  name: "typescript-6",
  about: "TypeScript 6, strictest",
  isFast: false,
  run: (place) => Strictest.run(place, "typescript-6")
}
