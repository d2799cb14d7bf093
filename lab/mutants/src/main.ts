/**
 * Judges the tests of a rule: changes one place of its sources after the other, and runs its tests.
 *
 *     pnpm lab mutants limits               the sample of an area
 *     pnpm lab mutants limits --most 500    more of its mutants; the same seed draws the same ones
 *     pnpm lab mutants limits --file Limiter --line 40
 *     pnpm lab mutants limits --own         without the users of the rule
 *
 * The line of each mutant that no test notices is printed. So is each that only the users of the rule notice: a row is
 * missing in the tests of the rule itself.
 */
import { globSync, readFileSync } from "node:fs"
import * as path from "node:path"
import { parseArgs } from "node:util"

import * as Random from "@plumbline/seeded/Random"

import { areas } from "./areas.ts"
import { applied, described, type Mutation, mutationsOf } from "./mutations.ts"
import * as VitestRuns from "./vitestRuns.ts"

const root = path.resolve(import.meta.dirname, "../../..")

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    most: { type: "string", default: "60" },
    seed: { type: "string", default: "1" },
    file: { type: "string" },
    line: { type: "string" },
    own: { type: "boolean", default: false }
  }
})

const name = positionals[0] ?? ""
const area = areas[name]
if (area === undefined) {
  console.error(`no area ${name}. Name one of ${Object.keys(areas).join(", ")}.`)
  process.exit(2)
}

interface Mutant {
  readonly file: string
  readonly source: string
  readonly mutation: Mutation
}

const folder = path.join(root, area.package)
const listed = (patterns: ReadonlyArray<string>): ReadonlyArray<string> =>
  globSync([...patterns], { cwd: folder })
    .filter((file) => !file.endsWith(".heavy.test.ts"))
    .sort()

const all = listed(area.sources).flatMap((file): ReadonlyArray<Mutant> => {
  const source = readFileSync(path.join(folder, file), "utf8")
  return mutationsOf(file, source).map((mutation) => ({ file, source, mutation }))
})

/** Draws mutants without repetition, in an order that the seed decides. */
const drawn = (from: ReadonlyArray<Mutant>, most: number): ReadonlyArray<Mutant> => {
  const random = Random.make(Number(values.seed))
  const rest = [...from]
  return Array.from({ length: Math.min(most, rest.length) }, () => rest.splice(Random.int(random, rest.length), 1)[0]!)
}

const named = all.filter(
  ({ file, mutation, source }) =>
    (values.file === undefined || file.includes(values.file)) &&
    (values.line === undefined || described(source, mutation).line === Number(values.line))
)
const mutants = drawn(named, Number(values.most))

const tests = listed(area.tests)
const users = values.own ? [] : listed(area.users).filter((file) => !tests.includes(file))
const runs = VitestRuns.start(area.package)
const counts = { killed: 0, timeout: 0, "by users only": 0, survived: 0 }
const began = performance.now()

for (const files of [tests, users].filter(({ length }) => length > 0)) {
  const { file } = mutants[0]!
  const started = performance.now()
  if ((await runs.run(files, file, undefined)) !== "passed")
    throw new Error(`fails without a mutant: ${files.join(" ")}`)
  console.log(`${files.length} files of tests pass in ${((performance.now() - started) / 1000).toFixed(1)} s`)
}
console.log(`${mutants.length} of ${all.length} mutants of ${name}, seed ${values.seed}`)

for (const { file, mutation, source } of mutants) {
  const mutated = applied(source, mutation)
  const own = await runs.run(tests, file, mutated)
  const verdict =
    own === "failed"
      ? "killed"
      : own === "timeout"
        ? "timeout"
        : users.length === 0 || (await runs.run(users, file, mutated)) === "passed"
          ? "survived"
          : "by users only"
  counts[verdict]++
  const { after, before, line } = described(source, mutation)
  if (verdict === "killed") console.log(`killed: ${file}:${line}`)
  else console.log(`${verdict}: ${file}:${line}\n    - ${before}\n    + ${after}`)
}
await runs.close()

const seconds = ((performance.now() - began) / 1000).toFixed(0)
const [killed, late, byUsers, survived] = Object.values(counts)
console.log(
  `${name}: ${killed} killed, ${late} timed out, ${byUsers} noticed by users only, ${survived} survived; ${seconds} s`
)
process.exit(0)
