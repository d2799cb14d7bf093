/** npm, and the Node that the workspace runs on. */
import * as Place from "../place.ts"

export const node24: Place.Environment = {
  name: "node-24",
  about: "npm, Node 24",
  isFast: true,
  run: async (place) => {
    await Place.begin(place)
    const install = await Place.npmInstall(place)
    Place.writePrograms(place)
    const ran = await Place.runMain(place, process.execPath)
    return { installed: Place.sizeOf(place), install, ...ran }
  }
}
