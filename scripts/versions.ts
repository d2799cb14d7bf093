/**
 * Turns the changesets into the versions of a release, and writes the changelogs for readers. The files of `STATED`
 * repeat the version of the packages.
 *
 *     node scripts/versions.ts                       the next release, or the next one of a pre-release
 *     node scripts/versions.ts --snapshot <name>     a version to try, such as 0.0.0-<name>-20260101000000
 *
 * The changesets determine the versions. This script makes the changelogs. It lists the changes of a package by kind,
 * without rows about updated dependencies, because all packages have one version. The first entry of a package
 * introduces the package instead of listing changes, because readers saw no earlier version.
 */
import { execFileSync } from "node:child_process"
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { parseArgs } from "node:util"

import { published, root } from "./workspace.ts"

/** A change that is part of the next release. */
export interface Changeset {
  /** The kind of the change, by the name of the package. */
  readonly releases: ReadonlyMap<string, string>
  readonly text: string
}

/** The facts about a package that its changelog needs. */
export interface Subject {
  readonly name: string
  readonly version: string
  readonly description: string
  /** The README, whose first paragraph of the form "When to use", "Use it if" or "This package is" introduces the package. */
  readonly readme: string
  readonly engines?: { readonly node?: string } | undefined
  readonly peerDependencies?: Readonly<Record<string, string>> | undefined
}

/** Reads a file of `.changeset`: the packages between two `---` lines, then the text. */
export const read = (file: string): Changeset => {
  const [, front, text] = /^---\n(.*?)\n?---\n(.*)$/su.exec(file) ?? []
  if (front === undefined) throw new Error(`not a changeset: ${file.slice(0, 60)}`)
  const rows = front.split("\n").flatMap((line) => {
    const [, name, kind] = /^["']?([^"':]+)["']?:\s*(\w+)\s*$/u.exec(line) ?? []
    return name === undefined ? [] : [[name, kind!] as const]
  })
  return { releases: new Map(rows), text: text!.trim() }
}

/** The headings of an entry, in their order. */
const HEADINGS = ["Breaking", "New", "Fixed"] as const

/**
 * Returns the heading of a change. Before 1.0 the kind of a breaking change is minor, so a breaking change is
 * recognized by its table of old and new names.
 */
const headingOf = (kind: string, text: string): (typeof HEADINGS)[number] => {
  if (kind === "major" || /^\|\s*before\s*\|/mu.test(text)) return "Breaking"
  return kind === "minor" ? "New" : "Fixed"
}

/** Returns a text as an item of a list: its further lines are indented. */
const item = (text: string): string => `- ${text.replaceAll(/\n(?=[^\n])/gu, "\n  ")}`

/** Returns the entry of the first version of a package. */
export const introduction = ({ description, engines, peerDependencies = {}, readme, version }: Subject): string => {
  const [use] = /^(?:\*\*When to use\*\*:|Use it (?:if|in)|This package is) .*$/mu.exec(readme) ?? []
  const needs = [
    ...(engines?.node === undefined ? [] : [`Node ${engines.node}`]),
    ...(peerDependencies["effect"] === undefined ? [] : [`Effect ${peerDependencies["effect"]}`])
  ]
  return [
    `## ${version}`,
    `The first release. ${description}`,
    ...(use === undefined ? [] : [use]),
    ...(needs.length === 0 ? [] : [`Needs ${needs.join(", ")}.`])
  ].join("\n\n")
}

/** Returns the entry of a later version: the changes by their kind. */
export const entry = ({ name, version }: Subject, changesets: ReadonlyArray<Changeset>): string => {
  const own = changesets.flatMap(({ releases, text }) => {
    const kind = releases.get(name)
    return kind === undefined || kind === "none" ? [] : [{ heading: headingOf(kind, text), text }]
  })
  const parts = HEADINGS.flatMap((heading) => {
    const texts = own.filter((each) => each.heading === heading).map(({ text }) => item(text))
    return texts.length === 0 ? [] : [`### ${heading}`, texts.join("\n")]
  })
  const none = "This package did not change. All packages share one version."
  return [`## ${version}`, ...(parts.length === 0 ? [none] : parts)].join("\n\n")
}

/** Puts an entry on top of a changelog. */
export const prepend = (changelog: string, name: string, entry: string): string => {
  const rest = changelog.replace(/^# [^\n]*\n+/u, "").trim()
  return `${[`# ${name}`, entry, ...(rest === "" ? [] : [rest])].join("\n\n")}\n`
}

/** True if a changelog names a version that is not a pre-release. */
export const isReleased = (changelog: string): boolean => /^## \d+\.\d+\.\d+$/mu.test(changelog)

/** Returns the changelog of a package with the entry of its version. */
export const write = (changelog: string, subject: Subject, changesets: ReadonlyArray<Changeset>): string =>
  prepend(changelog, subject.name, isReleased(changelog) ? entry(subject, changesets) : introduction(subject))

/** The files that repeat the version of the packages, each with the place before a version. */
export const STATED: Readonly<Record<string, RegExp>> = {
  "deploy/helm/plumbline/Chart.yaml": /(?<=^(?:version|appVersion): )\S+/gmu,
  "docs/operate.md": /(?<=registry\.example\/plumbline:|\/plumbline-cli-)\d[0-9A-Za-z.-]*?(?= |\.tgz)/gu,
  // private, but the packed manifests name it among the packages for development
  "tools/seeded/package.json": /(?<=^ {2}"version": ")[^"]+/gmu
}

/**
 * Reads the changesets of the next release. The changesets of a published pre-release are in `pre`. The next full
 * release lists them again, because its readers did not see the pre-releases.
 */
export const pending = (): ReadonlyArray<Changeset> => {
  const folder = path.join(root, ".changeset")
  const pre = readIf(path.join(folder, "pre.json"))
  const isExit = pre !== "" && JSON.parse(pre).mode === "exit"
  return globSync(isExit ? ["*.md", "pre/*.md"] : ["*.md"], { cwd: folder })
    .filter((file) => file !== "README.md")
    .sort()
    .map((file) => read(readFileSync(path.join(folder, file), "utf8")))
}

/** Returns the peers of a manifest, with the range of Effect that the catalog holds. */
const withCatalog = (peers: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> => {
  if (peers["effect"] !== "catalog:") return peers
  const [, range] = /^ {2}effect: (\S+)$/mu.exec(readFileSync(path.join(root, "pnpm-workspace.yaml"), "utf8")) ?? []
  if (range === undefined) throw new Error("effect is not in the catalog")
  return { ...peers, effect: range }
}

const readIf = (file: string): string => (existsSync(file) ? readFileSync(file, "utf8") : "")

if (import.meta.main) {
  const { snapshot } = parseArgs({ options: { snapshot: { type: "string" } } }).values
  const changesets = pending()
  const options = snapshot === undefined ? [] : ["--snapshot", snapshot]
  const manifestOf = (dir: string) => JSON.parse(readFileSync(path.join(dir, "package.json"), "utf8"))
  const before = new Map(published().map(({ dir, name }) => [name, manifestOf(dir).version]))
  execFileSync(path.join(root, "node_modules/.bin/changeset"), ["version", ...options], { cwd: root, stdio: "inherit" })
  const versions = new Set<string>()
  for (const { dir, name } of published()) {
    const manifest = manifestOf(dir)
    versions.add(manifest.version)
    if (manifest.version === before.get(name)) continue
    const file = path.join(dir, "CHANGELOG.md")
    const subject: Subject = {
      ...manifest,
      readme: readIf(path.join(dir, "README.md")),
      peerDependencies: withCatalog(manifest.peerDependencies)
    }
    writeFileSync(file, write(readIf(file), subject, changesets))
  }
  if (versions.size !== 1) throw new Error(`the packages have ${versions.size} versions: ${[...versions].join(", ")}`)
  for (const [name, place] of Object.entries(STATED)) {
    const file = path.join(root, name)
    writeFileSync(file, readFileSync(file, "utf8").replaceAll(place, [...versions][0]!))
  }
  console.log(`all packages are ${[...versions][0]}`)
}
