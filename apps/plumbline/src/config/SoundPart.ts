/**
 * The part of a configuration that is left without its mistakes. It shows the mistakes between settings, and of the files
 * that they name, although other settings are wrong: so all of them are reported at once.
 */
import { type ConfigFile, shapeAt } from "./ConfigFile.ts"
import type { SettingMistake, SettingPath } from "./ConfigMistake.ts"

/** A part without mistakes, and the mistakes between the settings of the whole. */
export interface SoundPart {
  /** Undefined if nothing is left. */
  readonly file: ConfigFile | undefined
  readonly broken: ReadonlyArray<SettingMistake>
  /** True for a mistake that may come only from settings that were left out. */
  readonly isDoubtful: (mistake: SettingMistake) => boolean
}

/** The checks of a file. `decode` returns the paths of the mistakes that its Schema finds. */
export interface SoundPartChecks {
  readonly decode: (value: unknown) => ConfigFile | ReadonlyArray<SettingPath>
  readonly rules: (file: ConfigFile) => ReadonlyArray<SettingMistake>
}

/** Maximum number of groups that are left out one around the other. The settings of a configuration are less deep. */
const ROUNDS = 8

/** Maximum number of mistakes without which the rest is looked at: a file with more is none. */
const MAX_WRONG = 50

/** Leaves out the settings at these paths, and whatever cannot be without them. */
export const of = (
  value: unknown,
  wrong: ReadonlyArray<SettingPath>,
  { decode, rules }: SoundPartChecks
): SoundPart => {
  const removed: Array<SettingPath> = []
  const isDoubtful = ({ path }: SettingMistake): boolean =>
    removed.some(
      (gone) => isWithin(gone, path) || isWithin(path, gone) || isBeside(path, gone) || dependsOn(path, gone)
    )
  let broken: ReadonlyArray<SettingMistake> | undefined
  let rest = value
  let next = wrong
  for (let round = 0; round < ROUNDS && next.length <= MAX_WRONG; round++) {
    for (const path of next) {
      const at = outside(path, removed)
      if (at.length === 0) return { file: undefined, broken: broken ?? [], isDoubtful }
      removed.push(at)
      rest = without(rest, at)
    }
    const file = decode(rest)
    if (isPaths(file)) {
      next = file
      continue
    }
    const found = rules(file)
    // later ones may come only from what is left out
    broken ??= found.filter((mistake) => !isDoubtful(mistake))
    if (found.length === 0) return { file, broken, isDoubtful }
    next = found.map(({ path }) => path)
  }
  return { file: undefined, broken: broken ?? [], isDoubtful }
}

const isPaths = (file: ConfigFile | ReadonlyArray<SettingPath>): file is ReadonlyArray<SettingPath> =>
  Array.isArray(file)

/**
 * Returns the path to leave out: a list as a whole, because otherwise the places of its other items would change, and the
 * group around a setting that is already left out.
 */
const outside = (path: SettingPath, removed: ReadonlyArray<SettingPath>): SettingPath => {
  const index = path.findIndex((part) => typeof part === "number")
  let at = index === -1 ? path : path.slice(0, index)
  while (at.length > 0 && removed.some((gone) => isWithin(at, gone))) at = at.slice(0, -1)
  return at
}

/** True if the first path is the second one, or a part of it. */
const isWithin = (path: SettingPath, group: SettingPath): boolean => group.every((part, index) => path[index] === part)

/** True for a setting of the same group, unless the file chooses the names in it: those do not depend on each other. */
const isBeside = (path: SettingPath, gone: SettingPath): boolean => {
  const group = gone.slice(0, -1)
  return group.length > 0 && isWithin(path, group) && shapeAt(group)?.names !== undefined
}

/** True for the default network, if a whole network was left out: it may be the one that it names. */
const dependsOn = ([name]: SettingPath, gone: SettingPath): boolean =>
  name === "defaultNetwork" && gone[0] === "networks" && gone.length <= 2

const without = (value: unknown, [name, ...inner]: SettingPath): unknown => {
  if (name === undefined || typeof value !== "object" || value === null) return value
  const entries = Object.entries(value)
  const kept = inner.length === 0 ? entries.filter(([key]) => key !== name) : entries
  const made: Record<string, unknown> = Object.create(null)
  for (const [key, member] of kept) made[key] = key === name ? without(member, inner) : member
  return made
}
