/** Effect and every dependency at the lowest release that the manifests accept. */
import { readFileSync } from "node:fs"
import * as path from "node:path"

import * as Place from "../place.ts"

interface Manifest {
  readonly version: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
}

export const floor: Place.Environment = {
  name: "floor",
  about: "Effect and dependencies at their floor",
  isFast: true,
  run: async (place) => {
    await Place.begin(place)
    await Place.npmInstall(place)
    const floors = new Map(Place.clients.flatMap((name) => floorsOf(manifestOf(place, name))))
    if (floors.get("effect") !== Place.EFFECT) throw new Error(`the floor of Effect is ${floors.get("effect")}`)
    // the second install has the lowest releases that the manifests accept beside the packages, which then use them; the
    // dependencies of others keep their own
    const clients = Object.fromEntries(Place.clients.map((name) => [name, place.version]))
    await Place.begin(place, { dependencies: { ...clients, ...Object.fromEntries(floors) } })
    await Place.run(place, "rm", "-rf", "node_modules", "package-lock.json")
    const install = await Place.npmInstall(place)
    for (const [name, version] of floors) {
      const found = manifestOf(place, name).version
      if (found !== version) throw new Error(`${name} is ${found}, and its floor ${version}`)
    }
    Place.writePrograms(place)
    const { program, said } = await Place.runMain(place, process.execPath)
    return { installed: Place.sizeOf(place), install, program, said: `${said}, ${floors.size} packages at their floor` }
  }
}

const manifestOf = (place: Place.Place, name: string): Manifest =>
  JSON.parse(readFileSync(path.join(place.folder, "node_modules", name, "package.json"), "utf8"))

/** Returns the lowest release of each range. A range is one release, with or without a caret. */
const floorsOf = ({
  dependencies = {},
  peerDependencies = {},
  peerDependenciesMeta: about = {}
}: Manifest): ReadonlyArray<readonly [string, string]> =>
  Object.entries({ ...dependencies, ...peerDependencies }).flatMap(([name, range]) => {
    // users install an optional peer only if they need it
    if (name.startsWith("@plumbline/") || about[name]?.optional === true) return []
    const [, lowest] = /^\^?(\d+\.\d+\.\d+)$/u.exec(range) ?? []
    if (lowest === undefined) throw new Error(`${name} ${range} has no floor that this program can read`)
    return [[name, lowest] as const]
  })
