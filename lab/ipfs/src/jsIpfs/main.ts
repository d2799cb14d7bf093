/**
 * Runs the suite against js-ipfs, to check the suite itself: `pnpm lab js-ipfs`.
 *
 * Prints a table with the result of each client, and the known differences with their reasons. Then it stores a proof
 * bundle on js-ipfs. Exits with 1 if there is an unknown difference.
 */
import { inspect } from "node:util"

import * as Check from "../suite/check.ts"
import { checks } from "../suite/index.ts"
import { type Client, clients } from "../suite/npmClients.ts"
import * as Daemon from "./jsIpfsDaemon.ts"
import * as Workspace from "./jsIpfsInstallation.ts"
import * as Bundle from "./storedBundle.ts"

const began = performance.now()
if (!(await Workspace.isInstalled())) console.log("installing js-ipfs, which takes minutes ...\n")
await Workspace.install()
const daemon = await Daemon.start()

const target: Check.Target = { kind: "js-ipfs", url: daemon.url, headers: {} }

const resultsOf = async (client: Client): Promise<ReadonlyMap<Check.Check, Check.Result>> => {
  const results = new Map<Check.Check, Check.Result>()
  for (const check of checks) {
    if (Check.isFor(check, client, target.kind)) results.set(check, await Check.run(check, client, target))
  }
  return results
}

const columns: Array<ReadonlyMap<Check.Check, Check.Result>> = []
let isBundleKept = false
try {
  for (const client of clients) columns.push(await resultsOf(client))
  isBundleKept = await Bundle.isKept(daemon.url)
} finally {
  await daemon.stop()
}

const row = (cells: ReadonlyArray<string>): string => `| ${cells.join(" | ")} |`

const cell = (result: Check.Result | undefined): string => {
  switch (result?._tag) {
    case undefined:
      return "-"
    case "Passed":
      return "as it should be"
    case "Differs":
      return "differs, as is known"
    case "Failed":
      return `✗ ${result.why}`
  }
}

const names = clients.map(({ name, version }) => `${name} ${version}`)
console.log(`Node ${process.version}, js-ipfs ${daemon.version}\n`)
console.log(row(["check", ...names]))
console.log(row(["---", ...names.map(() => "---")]))
const shown = checks.filter((check) => columns.some((results) => results.has(check)))
for (const check of shown) console.log(row([check.name, ...columns.map((results) => cell(results.get(check)))]))

console.log("\n### Differences\n")
for (const check of shown) {
  const result = columns.map((results) => results.get(check)).find((each) => each?._tag === "Differs")
  if (result?._tag === "Differs") console.log(`- ${check.name}: ${result.because}.`)
}

const failures = columns.flatMap((results, column) =>
  [...results].flatMap(([{ name }, result]) => (result._tag === "Failed" ? [{ who: names[column], name, result }] : []))
)
for (const { name, result, who } of failures) {
  console.log(`\n✗ ${who}, ${name}: ${result.why}`)
  console.log(inspect({ seen: result.seen, expected: result.expected }, { depth: 6 }))
}
console.log(
  `\nA proof bundle published there, pinned and fetched again: ${isBundleKept ? "as it should be" : "✗ it was not"}`
)

const count = (tag: Check.Result["_tag"]): number =>
  columns.flatMap((results) => [...results.values()]).filter(({ _tag }) => _tag === tag).length
const seconds = ((performance.now() - began) / 1000).toFixed(0)
console.log(
  `\n${count("Passed")} as they should be, ${count("Differs")} differ as is known, ${count("Failed")} failed, in ${seconds} s`
)
process.exit(failures.length > 0 || !isBundleKept ? 1 : 0)
