/**
 * Two programs without the dom library. A server's program has Node's types. A worker's program has neither Node's
 * types nor the dom library, and must skip checking the declarations of libraries, because Effect's declarations name
 * `URL`.
 */
import * as Place from "../place.ts"
import * as Strictest from "./strictest.ts"

const lib = ["es2024", "esnext.disposable"]

export const withoutDom: Place.Environment = {
  name: "without-dom",
  about: "TypeScript 7, without the dom",
  isFast: true,
  run: async (place) => {
    await Place.begin(place, { devDependencies: { "@types/node": "^24.0.0" } })
    const install = await Place.npmInstall(place)
    Strictest.writeAll(place)
    const compile = (file: string, more: object) => {
      Strictest.config(place, file, Strictest.options({ lib, ...more }), ["modules.ts"])
      return Strictest.compile(place, "typescript-7", file)
    }
    const [errors, program] = await Place.timed(() => compile("tsconfig.json", { types: ["node"] }))
    const others = Strictest.expectNone(errors)
    Strictest.expectNone(await compile("tsconfig.bare.json", { types: [], skipLibCheck: true }))
    const note = others === 0 ? "" : `, ${others} errors in other projects' declarations`
    return { installed: Place.sizeOf(place), install, program, said: `${Place.modules.length} modules${note}` }
  }
}
